import { expect, test } from "vitest";
import { createKey } from "../../src/app/keys.ts";
import { createPruner } from "../../src/app/operations/retention.ts";
import { createClient } from "../../src/client/client.ts";
import { createMirror, type MirrorOptions } from "../../src/client/mirror.ts";
import { createMemoryStorage, type MirrorStorage } from "../../src/client/mirror-storage.ts";
import { businessId } from "../../src/domain/catalog/object-id.ts";
import { createTestApp } from "../support/app.ts";
import { seedShop, SHOP_SLUG } from "../support/shop.ts";
import { createTestRuntime } from "../support/test-runtime.ts";
import { applyCatalog } from "../../src/app/catalog/catalog.ts";

/** Returns a shop, a mirror of it, and the paths that the mirror has read. */
function setUp(options: Partial<MirrorOptions> = {}) {
  const rt = createTestRuntime();
  seedShop(rt);
  const app = createTestApp(rt);
  const key = { businessId: businessId(SHOP_SLUG), name: "mirror", kind: "RESTRICTED" } as const;
  const { secret } = createKey(rt, { ...key, scopes: ["services.read", "webhooks.read"] });
  const read: string[] = [];
  let isReachable = true;
  const client = createClient({
    baseUrl: "http://shop.test",
    business: SHOP_SLUG,
    key: secret,
    retries: 0,
    fetch: async (url, init) => {
      const { pathname, search } = new URL(String(url));
      if (!isReachable) throw new TypeError("fetch failed");
      read.push(pathname.replace(`/v1/businesses/${SHOP_SLUG}`, "") || "/");
      return app.request(pathname + search, init);
    },
  });
  const storage = createMemoryStorage();
  const mirror = createMirror({ client, storage, intervalSeconds: 0, now: rt.now, ...options });
  const setPrice = (price: string) => {
    const text = `catalog: 1
business: { slug: ${SHOP_SLUG}, name: The Shop, timezone: Europe/Lisbon, currency: EUR }
services: [{ key: yoga, name: Yoga, durationMin: 60, price: ${price}, capacity: 5, staff: [bea] }]`;
    applyCatalog(rt, [{ name: "price.yaml", text }], { confirmed: true });
  };
  const readPrice = async () =>
    (await mirror.read("services")).find(({ name }) => name === "Yoga")?.priceCents;
  const takeRead = () => read.splice(0);
  const setReachable = (reachable: boolean) => void (isReachable = reachable);
  return { rt, storage, mirror, setPrice, readPrice, takeRead, setReachable };
}

test("a mirror reads all lists once, and then only the events and what the events do not contain", async () => {
  const { mirror, setPrice, readPrice, takeRead } = setUp();
  expect((await mirror.sync()).changed).toContain("services");
  expect(takeRead().length).toBe(8);
  expect((await mirror.sync()).changed).toEqual([]);
  expect(takeRead()).toEqual(["/changes"]);
  setPrice("15.00");
  expect((await mirror.sync()).changed).toContain("services");
  expect(takeRead()).not.toContain("/services");
  expect(await readPrice()).toBe(1500);
});

test("a mirror that is limited to some lists reads and stores no other lists", async () => {
  const { mirror, storage, takeRead } = setUp({ lists: ["staff"] });
  await mirror.sync();
  expect(takeRead()).toEqual(["/changes", "/staff"]);
  expect(await storage.load("services")).toEqual([]);
  expect((await mirror.read("staff")).map(({ name }) => name)).toEqual(["Ann"]);
});

test("a mirror reads the lists again after an hour", async () => {
  const { rt, mirror, takeRead } = setUp();
  await mirror.sync();
  takeRead();
  rt.advance(3_599_000);
  await mirror.sync();
  expect(takeRead()).toEqual(["/changes"]);
  rt.advance(1000);
  await mirror.sync();
  expect(takeRead().length).toBe(8);
});

test("calls of sync that wait for their turn share one update", async () => {
  const { mirror, setPrice, readPrice, takeRead } = setUp();
  await mirror.sync();
  takeRead();
  setPrice("16.00");
  await Promise.all(Array.from({ length: 20 }, () => mirror.sync()));
  expect(takeRead().filter((path) => path === "/changes").length).toBe(1);
  expect(await readPrice()).toBe(1600);
});

test("a mirror begins anew when the events after its cursor are no longer kept", async () => {
  const { rt, mirror, setPrice, readPrice, takeRead } = setUp();
  await mirror.sync();
  setPrice("17.00");
  rt.advance(40 * 86_400_000);
  await createPruner(rt)();
  takeRead();
  await mirror.sync();
  expect(takeRead().slice(0, 2)).toEqual(["/changes", "/changes"]);
  expect(await readPrice()).toBe(1700);
});

test("a mirror begins anew when its server was set up again and counts from the beginning", async () => {
  const storage = createMemoryStorage();
  const first = setUp({ storage });
  for (let price = 20; price < 30; price++) first.setPrice(`${price}.00`);
  await first.mirror.sync();
  expect(await first.readPrice()).toBe(2900);
  const rebuilt = setUp({ storage });
  await rebuilt.mirror.sync();
  expect(await rebuilt.readPrice()).toBe(1200);
});

test("a mirror whose storage fails keeps its previous state, and continues from it", async () => {
  const memory = createMemoryStorage();
  let fails = false;
  const storage: MirrorStorage = {
    load: memory.load,
    save(entries) {
      if (fails) throw new Error("The disk is full.");
      return memory.save(entries);
    },
  };
  const { mirror, setPrice, readPrice } = setUp({ storage });
  await mirror.sync();
  setPrice("19.00");
  fails = true;
  await expect(mirror.sync()).rejects.toThrow("The disk is full.");
  expect(await readPrice()).toBe(1200);
  fails = false;
  await mirror.sync();
  expect(await readPrice()).toBe(1900);
});

test("follow keeps a mirror current until its signal is aborted, and reports temporary errors", async () => {
  const { mirror, setPrice, readPrice, takeRead, setReachable } = setUp();
  const controller = new AbortController();
  const changed = Promise.withResolvers<string[]>();
  const failed = Promise.withResolvers<string>();
  let isFirst = true;
  const following = mirror.follow({
    signal: controller.signal,
    onChange({ changed: lists }) {
      // `follow` has read the lists before the first call. The price changes before `follow` sends
      // the request that waits for events, so the daemon must find the event when it gets that
      // request.
      if (isFirst) setPrice("21.00");
      else changed.resolve(lists);
      isFirst = false;
    },
    onError: ({ code }) => failed.resolve(code),
  });
  expect(await changed.promise).toContain("services");
  expect(await readPrice()).toBe(2100);
  setReachable(false);
  setPrice("22.00");
  expect(await failed.promise).toBe("connection_failed");
  controller.abort();
  await following;
  expect(takeRead()).toContain("/changes");
});

test("follow ends with the error of a key that is refused", async () => {
  const problem = { code: "revoked_key", detail: "The key was revoked." };
  const client = createClient({
    baseUrl: "http://shop.test",
    business: SHOP_SLUG,
    fetch: async () => Response.json(problem, { status: 401 }),
  });
  const mirror = createMirror({ client, storage: createMemoryStorage() });
  const following = mirror.follow({ signal: new AbortController().signal });
  await expect(following).rejects.toMatchObject({ code: "revoked_key", status: 401 });
});

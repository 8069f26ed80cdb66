import { setImmediate as nextTurn } from "node:timers/promises";
import { readPreset, type Preset } from "../../../src/assets.ts";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { createKey, type NewKey } from "../../../src/app/keys.ts";
import { businessId } from "../../../src/domain/catalog/object-id.ts";
import type { ConfigFlags } from "../../../src/config.ts";
import { createApp } from "../../../src/http/app.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";

export const SALON = "salon-aurora";

export type Problem = {
  type: string;
  title: string;
  status: number;
  code: string;
  detail: string;
  requestId: string;
  errors?: { parameter?: string; pointer?: string; code: string; detail: string }[];
  violatedPolicies?: string[];
};

export type Api = TestRuntime & {
  /** A request as it would come from the wire: in a turn of the event loop of its own. */
  ask: (path: string, init?: RequestInit & { key?: string | null }) => Promise<Response>;
  problem: (path: string, init?: RequestInit & { key?: string | null }) => Promise<Problem>;
  newKey: (fields?: Partial<NewKey>) => { id: string; secret: string };
  /** A secret key of the salon, which `ask` uses unless told otherwise. */
  key: string;
  flush: () => void;
  shutDown: () => void;
};

/** The API over a seeded business, without a socket. */
export function api(
  preset: Preset = "salon",
  busyTimeoutMs?: number,
  flags: ConfigFlags = {},
): Api {
  const rt = createTestRuntime(flags, undefined, busyTimeoutMs);
  const { slug } = seed(rt, preset);
  const app = createApp(rt);
  const newKey = (fields: Partial<NewKey> = {}) => {
    const { key, secret } = createKey(rt, {
      businessId: businessId(slug),
      name: "test",
      kind: "SECRET",
      scopes: [],
      ...fields,
    });
    return { id: key.id, secret };
  };
  const { secret } = newKey();
  const ask: Api["ask"] = async (path, { key = secret, ...init } = {}) => {
    await nextTurn();
    const headers = new Headers(init.headers);
    if (key !== null && !headers.has("authorization"))
      headers.set("authorization", `Bearer ${key}`);
    return app.request(path, { ...init, headers });
  };
  return Object.assign(rt, {
    ask,
    problem: async (path: string, init?: Parameters<Api["ask"]>[1]) =>
      (await (await ask(path, init)).json()) as Problem,
    newKey,
    key: secret,
    flush: app.flush,
    shutDown: app.shutDown,
  });
}

export const seed = (rt: TestRuntime, preset: Preset) =>
  applyCatalog(rt, [{ name: `${preset}.yaml`, text: readPreset(preset) }], { seedingAt: rt.now() });

const HEAD = `catalog: 1\nbusiness: {slug: ${SALON}, name: Salon Aurora, timezone: America/New_York, currency: USD, locale: en, locales: [en, es]}\n`;

/** Adds what a catalog file says to the salon. */
export const change = (rt: TestRuntime, body: string) =>
  applyCatalog(rt, [{ name: "change.yaml", text: HEAD + body }]);

import { expect, test, vi } from "vitest";
import type { Visit } from "../../../../src/domain/bookings/visit.ts";
import { ROUTES } from "../../../support/routes.ts";
import { type Client, openBookingShop, visit } from "../../support/bookings.ts";
import type { TestRuntime } from "../../../support/test-runtime.ts";

const HOUR = 3_600_000;

const POSTS = ROUTES.filter(({ method, group }) => method === "POST" && group === "Bookings");

/** A start of its own for each route: 12 hours on four Mondays, for two people. */
const startOf = (n: number): string =>
  `${["2026-11-23", "2026-11-30", "2026-12-07", "2026-12-14"][n % 4]}T${["09", "10", "11"][n % 3]}:00:00+00:00`;

/** Returns the path and body of a request that succeeds. */
async function requestOf(
  rt: TestRuntime,
  { send }: Client,
  operationId: string,
): Promise<[path: string, body: object]> {
  const create = async (path: string, body: object) => (await send("POST", path, body)).body.data;
  const startsAt = startOf(POSTS.findIndex((route) => route.operationId === operationId));
  const booking = { ...visit("09:00"), startsAt };
  const reservation = { startsAt, partySize: 2 };
  switch (operationId) {
    case "createHold":
      return ["/holds", booking];
    case "createBooking":
      return ["/bookings", booking];
    case "createReservation":
      return ["/reservations", reservation];
    default:
  }
  const [, action = "", noun = ""] =
    /^([a-z]+(?:NoShow)?)(Booking|Reservation)$/.exec(operationId) ?? [];
  const path = noun === "Booking" ? "/bookings" : "/reservations";
  const { id } = await create(path, noun === "Booking" ? booking : reservation);
  if (action === "approve" || action === "decline")
    setState(rt, id, { status: "PENDING", decideBy: rt.now() + HOUR });
  if (action === "complete" || action === "markNoShow") setState(rt, id, { startsAt: rt.now() });
  const name = action === "markNoShow" ? "no-show" : action;
  const later = { startsAt: startsAt.replace("2026-11", "2026-12").replace("-23T", "-21T") };
  return [`${path}/${id}/${name}`, action === "reschedule" ? later : {}];
}

function setState(rt: TestRuntime, id: string, state: Partial<Visit>): void {
  const { id: businessId } = rt.store.businesses.list()[0]!;
  const { bookings, reservations } = rt.store;
  rt.tx(() => {
    if (id.startsWith("bkg")) bookings.update({ ...bookings.findById(businessId, id)!, ...state });
    else reservations.update({ ...reservations.findById(businessId, id)!, ...state });
  });
}

test("each POST takes effect once, and a repeated request gets the first response", async () => {
  const { rt, owner } = openBookingShop();
  for (const { operationId } of POSTS) {
    const [path, body] = await requestOf(rt, owner, operationId);
    const once = { "idempotency-key": operationId };
    const dry = await owner.send("POST", `${path}?dryRun=true`, body, once);
    expect([operationId, dry.status]).toEqual([operationId, 200]);
    const revision = rt.revision();
    const first = await owner.send("POST", path, body, once);
    expect(first.status, operationId).toBe(operationId.startsWith("create") ? 201 : 200);
    expect(rt.revision()).toBeGreaterThan(revision);
    const written = rt.revision();
    const again = await owner.send("POST", path, body, once);
    expect([again.status, again.text]).toEqual([first.status, first.text]);
    for (const name of ["etag", "location", "cache-control"])
      expect(again.headers.get(name)).toBe(first.headers.get(name));
    expect(again.headers.get("idempotency-replayed")).toBe("true");
    expect(rt.revision()).toBe(written);
    const other = await owner.send("POST", path, { ...body, other: 1 }, once);
    expect([other.status, other.body.code]).toEqual([422, "idempotency_key_reused"]);
  }
});

test("a POST that creates something requires an Idempotency-Key, but not in a dry run", async () => {
  const { rt, site } = openBookingShop();
  const none = { "idempotency-key": undefined };
  const needing = POSTS.filter(({ needsIdempotencyKey }) => needsIdempotencyKey);
  expect(needing.map(({ operationId }) => operationId)).toEqual([
    "createHold",
    "createBooking",
    "createReservation",
  ]);
  for (const { operationId } of needing) {
    const [path, body] = await requestOf(rt, site, operationId);
    const refused = await site.send("POST", path, body, none);
    expect([refused.status, refused.body.code]).toEqual([400, "missing_idempotency_key"]);
    expect((await site.send("POST", `${path}?dryRun=1`, body, none)).status).toBe(200);
  }
});

test("the body of a request with an Idempotency-Key is parsed once", async () => {
  const { site } = openBookingShop();
  const body = visit("09:00", { customerRef: "c-1" });
  const parse = vi.spyOn(JSON, "parse");
  try {
    expect((await site.send("POST", "/bookings", body)).status).toBe(201);
    const parsed = parse.mock.calls.filter(([text]) => text === JSON.stringify(body));
    expect(parsed).toHaveLength(1);
  } finally {
    parse.mockRestore();
  }
});

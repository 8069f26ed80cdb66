import { expect, test } from "vitest";
import { createTestRuntime } from "../../../support/test-runtime.ts";
import { monday, openBookingShop, visit } from "../../support/bookings.ts";

test("the audit log names the key that changed, moved or cancelled a visit, and its address", async () => {
  const rt = createTestRuntime();
  const { site, owner } = openBookingShop(rt);
  const customer = { name: "Qanary Lima" };
  const booked = await site.send("POST", "/bookings", visit("09:00", { customer }));
  const path = `/bookings/${booked.body.data.id}`;
  await site.send("PATCH", path, { customer: { name: "Qanary Silva" } });
  await site.send("POST", `${path}/reschedule`, { startsAt: monday("10:00") });
  await owner.send("POST", `${path}/cancel?dryRun=true`, { reason: "Qanary is ill" });
  await owner.send("POST", `${path}/cancel`, { reason: "Qanary is ill" });
  await owner.send("POST", `${path}/cancel`, { reason: "Qanary is ill" });

  const entries = rt.store.audit.list({ visit: booked.body.data.id }, 10);
  expect(entries).toMatchObject([
    { action: "booking.cancelled", via: "http", actorId: owner.id },
    { action: "booking.rescheduled", via: "http", actorId: site.id },
    { action: "booking.updated", actorId: site.id, details: { fields: ["customer"] } },
  ]);
  expect(entries.every(({ address }) => address !== null)).toBe(true);
  expect(JSON.stringify(entries)).not.toContain("Qanary");
});

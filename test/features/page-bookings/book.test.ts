import { expect, test } from "vitest";
import { findCustomer } from "../../../src/app/bookings/guests.ts";
import { findAll, listMade, openPage } from "./open-page.ts";

const CUT = /href="([^"]*\?service=[^"]+)"[^>]*><strong><bdi>Cut/g;

test("a guest books a service with a variant, an add-on and a person", async () => {
  const { api, base, visitor } = openPage();
  const [cut = ""] = findAll(await visitor.get(base), CUT);
  const options = await visitor.get(cut);
  const [variant = ""] = findAll(options, /name="variant" value="([^"]+)"/g).slice(1);
  const [addon = ""] = findAll(options, /name="(addon\.[^"]+)"/g);
  const [, person = ""] = findAll(options, /name="staff" value="([^"]+)"/g);
  const { action, times } = await visitor.openTimes(
    `${cut}&variant=${variant}&${addon}=1&staff=${person}`,
  );
  const details = await visitor.hold(action, times[0] ?? "");
  expect(await visitor.get(details)).toContain("We keep this time for you until");
  const response = await visitor.book(details);
  expect(response.status).toBe(303);
  const link = response.headers.get("location") ?? "";
  expect(link).toMatch(/^\/b\/salon-aurora\/v\/deskbell_gv_[0-9a-f]{48}$/);
  expect(await visitor.get(link)).toContain("You are booked");
  const [visit] = listMade(api);
  expect(visit).toMatchObject({ status: "CONFIRMED", startsAt: Date.parse(times[0] ?? "") });
  expect(visit).toMatchObject({
    segments: [{ variantId: variant, staffId: person, addons: [{ addonId: addon.slice(6) }] }],
  });
  expect(findCustomer(api, visit?.id ?? "")).toMatchObject({ name: "Ana García" });
});

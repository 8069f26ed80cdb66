import { expect, test, vi } from "vitest";
import { OPERATOR } from "../../../src/app/bookings/access.ts";
import { notifyReceived } from "../../../src/app/bookings/booking-alerts.ts";
import { BOOKING } from "../../../src/app/bookings/visit-kinds.ts";
import { openCondition } from "../../../src/domain/conditions/registry.ts";
import { createAlerting } from "../../../src/features/alerts/alerting.ts";
import { toAlert } from "../../../src/features/alerts/rules/alert.ts";
import { withLinks } from "../../../src/features/alerts/with-links.ts";
import { createAlertLinkStore } from "../../../src/features/desk/store.ts";
import { SALON } from "../../http/support/api.ts";
import { holdLock } from "../../support/hold-lock.ts";
import { openPendingVisit } from "../desk/alert-links/open-pending-visit.ts";
import { businessOf } from "../desk/open-desk.ts";

test("each attempt to send the alert of a pending visit has new links", async () => {
  const { api, id } = openPendingVisit();
  const sent: (string | undefined)[] = [];
  const channel = withLinks(api, {
    name: "--alert-url",
    resends: false,
    async send({ links }) {
      sent.push(links?.accept);
      if (sent.length === 1) throw new Error("HTTP 503");
    },
  });
  const { tick } = createAlerting(api, [], { channels: [channel] });
  const business = businessOf(api);
  const booking = api.store.bookings.findById(business.id, id)!;
  api.tx(() => notifyReceived(api, business, OPERATOR, BOOKING, booking));
  await tick();
  api.advance(10_000);
  await tick();
  expect(sent).toEqual([
    expect.stringMatching(
      /^https:\/\/desk\.example\.com\/b\/salon-aurora\/alert-links\/deskbell_al_/,
    ),
    expect.stringMatching(/\/accept$/),
  ]);
  expect(sent[0]).not.toBe(sent[1]);
});

test("an alert whose links cannot be stored is sent without them", async () => {
  const { api, id } = openPendingVisit();
  vi.spyOn(api.openStore(createAlertLinkStore), "insert").mockImplementation(() => {
    throw new Error("database or disk is full");
  });
  const sent: unknown[] = [];
  const channel = withLinks(api, {
    name: "--alert-url",
    resends: false,
    send: async ({ code, links }) => {
      sent.push([code, links]);
      return undefined;
    },
  });
  const { tick } = createAlerting(api, [], { channels: [channel] });
  const booking = api.store.bookings.findById(businessOf(api).id, id)!;
  api.tx(() => notifyReceived(api, businessOf(api), OPERATOR, BOOKING, booking));
  await tick();
  expect(sent).toEqual([["booking.received", undefined]]);
});

test.each([
  ["for a moment", 20, { accept: expect.any(String), decline: expect.any(String) }],
  ["for long", 60_000, undefined],
])(
  "an alert waits a second for its links while another writer holds the lock %s",
  async (_, heldMs, expected) => {
    const { api, id } = openPendingVisit({ busyTimeoutMs: 0 });
    const sent: unknown[] = [];
    const channel = withLinks(api, {
      name: "--alert-url",
      resends: false,
      send: async ({ links }) => {
        sent.push(links);
        return undefined;
      },
    });
    const { tick } = createAlerting(api, [], { channels: [channel] });
    const booking = api.store.bookings.findById(businessOf(api).id, id)!;
    api.tx(() => notifyReceived(api, businessOf(api), OPERATOR, BOOKING, booking));
    const release = holdLock(api);
    const timer = setTimeout(release, heldMs);
    await tick();
    clearTimeout(timer);
    release();
    expect(sent).toEqual([expected]);
  },
);

test("an alert has no links unless it is about a visit that needs a decision", async () => {
  const { api, id, link, post } = openPendingVisit();
  const linksOf = async (question: { asksForDecision?: true }) => {
    const condition = openCondition("booking.received", "text", "", {
      business: SALON,
      subject: { id, name: "" },
      ...question,
    });
    const members = [{ fingerprint: "f", condition, isOpen: true, since: 0, isNew: true }];
    const cause = {
      fingerprint: "f",
      isGroup: false,
      members,
      since: 0,
      clearSince: null,
      count: 1,
    };
    let links: object | undefined;
    await withLinks(api, {
      name: "--alert-url",
      resends: false,
      send: async (alert) => {
        links = alert.links;
        return undefined;
      },
    }).send(toAlert({ ...cause, status: "FIRING", alertedAt: null }, "FIRING", 0));
    return links;
  };
  expect(await linksOf({})).toBeUndefined();
  expect(await linksOf({ asksForDecision: true })).toBeDefined();
  await post(link().accept);
  expect(await linksOf({ asksForDecision: true })).toBeUndefined();
});

import { describe, expect, test } from "vitest";
import { isBookable } from "../../../src/domain/availability/bookable.ts";
import { busyWindow } from "../../../src/domain/availability/busy-window.ts";
import { nextSlots } from "../../../src/domain/availability/next-slots.ts";
import { aPerson, aService, aVariant } from "../../support/catalog.ts";
import {
  aShop,
  at,
  book,
  busy,
  daily,
  days,
  openingsFor,
  questionOf,
  refusals,
  slots,
  starts,
  why,
  wish,
} from "./ask.ts";
import { anArea, aResource, aTable } from "./documents.ts";

const MONDAY = "2026-11-23";
const on = (time: string) => `${MONDAY}T${time}`;
const hourly = { slotIntervalMin: 60 };
const mornings = { hours: [daily("09:00", "12:00")] };

describe("the grid", () => {
  const ann = aPerson("ann", { hours: [daily("09:20", "11:10")], breaks: [daily("10:00", "10:10")] });
  const cut = aService("cut", { durationMin: 30, staff: ["ann"] });
  const ask = (policy: object, fields = {}) =>
    starts(aShop({ service: [{ ...cut, ...fields }], staff: [ann], policy }), { on: MONDAY, services: [wish("cut")] });

  test("counts from the business's midnight", () => {
    expect(ask({ slotIntervalMin: 20 })).toBe("09:20 10:20 10:40");
    expect(ask({ slotIntervalMin: 25 })).toBe("10:25");
  });

  test("counts from the opening, through whatever interrupts it", () => {
    expect(ask({ grid: "OPENING", slotIntervalMin: 20 })).toBe("09:20 10:20 10:40");
    expect(ask({ grid: "OPENING", slotIntervalMin: 25 })).toBe("09:20 10:10 10:35");
  });

  test("is the service's own where it has one", () => {
    expect(ask({}, { bookingRules: { slotIntervalMin: 60, minNoticeMin: null, maxAdvanceDays: null } })).toBe("");
  });

  test("has both instants of an hour that comes twice, and none of one that is left out", () => {
    const shop = aShop({
      service: [aService("sauna")],
      schedule: { hours: [daily("00:00", "05:00")] },
      policy: hourly,
    });
    const ask = (on: string) => starts(shop, { on, services: [wish("sauna")] });
    expect(ask("2026-11-01")).toBe("00:00 01:00 01:00 02:00 03:00 04:00");
    expect(ask("2026-03-08")).toBe("00:00 01:00 03:00 04:00");
  });
});

describe("notice and horizon", () => {
  const shop = aShop({
    service: [aService("sauna", { durationMin: 60 })],
    schedule: { hours: [daily("09:00", "12:00", { days: ["mon", "tue", "wed"] })] },
    policy: { ...hourly, minNoticeMin: 90, maxAdvanceDays: 1 },
  });
  const ask = (now: string) => ({ on: "2026-11-22", to: "2026-11-25", services: [wish("sauna")], now });
  const told = (now: string) =>
    days(shop, ask(now)).map(({ date, state, slots }) => `${date.slice(8)} ${state} ${slots.length}`);

  test("notice is elapsed minutes, the horizon a day of the calendar", () => {
    expect(told("2026-11-23T13:30:00Z")).toEqual(["22 TOO_SOON 0", "23 OPEN 2", "24 OPEN 3", "25 TOO_FAR 0"]);
    expect(told("2026-11-23T13:30:01Z")).toEqual(["22 TOO_SOON 0", "23 OPEN 1", "24 OPEN 3", "25 TOO_FAR 0"]);
    expect(told("2026-11-23T16:00:00Z")).toEqual(["22 TOO_SOON 0", "23 TOO_SOON 0", "24 OPEN 3", "25 TOO_FAR 0"]);
    expect(told("2026-11-22T04:59:00Z")).toEqual(["22 CLOSED 0", "23 TOO_FAR 0", "24 TOO_FAR 0", "25 TOO_FAR 0"]);
  });

  test("each start that is not offered has the first rule that it fails", () => {
    const monday = { ...ask("2026-11-23T13:30:01Z"), on: MONDAY, to: MONDAY };
    const rows = [busy(shop, on("11:00"), on("12:00"), { serviceKey: "sauna" })];
    expect(refusals(shop, { ...monday, rows }).slice(7, 14)).toEqual([
      "07:00 TOO_SOON",
      "08:00 TOO_SOON",
      "09:00 TOO_SOON",
      "10:00 TOO_SOON",
      "11:00 SEATS_TAKEN",
      "12:00 OUTSIDE_HOURS",
      "13:00 OUTSIDE_HOURS",
    ]);
  });

  test("a day of which the question does not speak is a mistake of whoever asks", () => {
    const openings = openingsFor(shop, { ...ask("2026-11-20T00:00Z"), to: "2026-11-22" });
    expect(() => isBookable(openings, at(shop, on("09:00")))).toThrow(RangeError);
  });
});

describe("why a time is not offered", () => {
  const shop = aShop({
    service: [
      aService("cut", {
        durationMin: 30,
        bufferAfterMin: 10,
        staff: ["ann"],
        resources: [{ resource: "chair", units: 1 }],
      }),
    ],
    resource: [aResource("chair")],
    staff: [
      aPerson("ann", {
        breaks: [daily("12:00", "13:00")],
        timeOff: [{ from: Date.parse("2026-11-23T20:00Z"), to: Date.parse("2026-11-23T21:00Z") }],
      }),
      aPerson("bea"),
    ],
    schedule: { hours: [daily("09:00", "17:00")], closures: [{ name: null, from: "2026-11-24", to: "2026-11-24" }] },
  });
  const rows = [
    busy(shop, on("09:30"), on("10:00"), { staffKey: "ann" }),
    busy(shop, on("11:00"), on("11:15"), { staffKey: "bea", resources: [{ resource: "chair", units: 1 }] }),
  ];
  test.each([
    [on("08:45"), "OUTSIDE_HOURS"],
    [on("16:45"), "OUTSIDE_HOURS"],
    ["2026-11-24T10:00", "CLOSURE"],
    [on("11:45"), "BREAK"],
    [on("15:30"), "TIME_OFF"],
    [on("10:50"), "OFF_GRID"],
    [on("09:15"), "TAKEN"],
    [on("09:00"), "BUFFER"],
    [on("10:45"), "RESOURCE_TAKEN"],
    [on("10:15"), "ok"],
  ])("%s %s", (local, reason) => {
    expect(why(shop, { on: MONDAY, to: "2026-11-24", services: [wish("cut")], rows }, local)).toBe(reason);
  });

  test("of several people the reason is that of the one who comes furthest", () => {
    const two = {
      ...shop,
      objects: { ...shop.objects, service: [aService("cut", { durationMin: 30, staff: ["ann", "bea"] })] },
    };
    const enquiry = {
      on: MONDAY,
      services: [wish("cut")],
      rows: [busy(shop, on("12:00"), on("12:30"), { staffKey: "bea" })],
    };
    expect(why(two, enquiry, on("12:00"))).toBe("TAKEN");
  });

  test("a service whose people have all left is closed, and nobody able", () => {
    const empty = aShop({ service: [aService("cut", { staff: ["ann"] })], schedule: mornings });
    expect(why(empty, { on: MONDAY, services: [wish("cut")] }, on("09:00"))).toBe("NOBODY_ABLE");
    expect(days(empty, { on: MONDAY, services: [wish("cut")] })[0]?.state).toBe("CLOSED");
  });
});

describe("rooms and chairs", () => {
  const room = aResource("room", { capacity: 2 });
  const massage = aService("massage", {
    durationMin: 60,
    staff: ["ann", "bea", "cid"],
    resources: [{ resource: "room", units: 1 }],
  });
  const people = ["ann", "bea", "cid"].map((key) => aPerson(key));
  const shop = aShop({ service: [massage], resource: [room], staff: people, schedule: mornings, policy: hourly });
  const enquiry = { on: MONDAY, services: [wish("massage")] };

  test("limit how many are treated at once, though somebody is free", () => {
    const first = book(shop, enquiry, on("10:00"));
    const second = book(shop, { ...enquiry, rows: first }, on("10:00"));
    expect([first[0]?.staffKey, second[0]?.staffKey]).toEqual(["ann", "bea"]);
    expect(starts(shop, { ...enquiry, rows: [...first, ...second] })).toBe("09:00 11:00");
  });

  test("are counted at each moment: two that follow one another take one room", () => {
    const rows = [
      busy(shop, on("10:00"), on("10:30"), { resources: [{ resource: "room", units: 1 }] }),
      busy(shop, on("10:30"), on("11:00"), { resources: [{ resource: "room", units: 1 }] }),
    ];
    expect(starts(shop, { ...enquiry, rows })).toBe("09:00 10:00 11:00");
  });

  test("that are let on their own can be had as often as there are of them", () => {
    const lets = aShop({
      service: [aService("rehearsal", { durationMin: 60, resources: [{ resource: "room", units: 1 }] })],
      resource: [room],
      schedule: mornings,
      policy: hourly,
    });
    const asked = { on: MONDAY, services: [wish("rehearsal")] };
    const once = book(lets, asked, on("10:00"));
    const spots = (rows: typeof once) =>
      slots(lets, { ...asked, rows }).map((slot) => `${slot.spotsLeft}/${slot.spotsTotal}`);
    expect(spots([])).toEqual(["2/2", "2/2", "2/2"]);
    expect(spots(once)).toEqual(["2/2", "1/2", "2/2"]);
    expect(spots([...once, ...once])).toEqual(["2/2", "2/2"]);
  });

  test("that are out of use cannot be used", () => {
    const broken = { ...shop, objects: { ...shop.objects, resource: [{ ...room, status: "INACTIVE" as const }] } };
    expect(days(broken, enquiry)[0]?.state).toBe("CLOSED");
  });
});

describe("a service for which nobody is needed", () => {
  test("is open as the business is, and holds as many guests at once as it has places", () => {
    const shop = aShop({
      service: [aService("sauna", { durationMin: 60, capacity: 4 })],
      schedule: mornings,
      policy: { slotIntervalMin: 30 },
    });
    const rows = [busy(shop, on("09:30"), on("10:30"), { serviceKey: "sauna", seats: 3 })];
    const found = (guests: number) =>
      slots(shop, { on: MONDAY, services: [wish("sauna")], guests, rows }).map(({ spotsLeft }) => spotsLeft);
    expect(found(1)).toEqual([1, 1, 1, 4, 4]);
    expect(found(2)).toEqual([4, 4]);
  });
});

describe("a class", () => {
  const yoga = aService("yoga", {
    durationMin: 60,
    capacity: 4,
    bufferBeforeMin: 15,
    staff: ["ann", "bea"],
    resources: [{ resource: "hall", units: 1 }],
  });
  const shop = aShop({
    service: [yoga, aService("massage", { durationMin: 60, staff: ["ann"] })],
    staff: [aPerson("ann"), aPerson("bea", { hours: [] })],
    resource: [aResource("hall")],
    schedule: mornings,
    policy: hourly,
  });
  const asked = (guests: number) => ({ on: MONDAY, services: [wish("yoga")], guests });

  test("that has started has seats for others, although its teacher and its hall are taken", () => {
    const three = book(shop, asked(3), on("10:00"));
    const found = slots(shop, { ...asked(1), rows: three });
    expect(found.map(({ startMin, spotsLeft }) => [startMin, spotsLeft])).toEqual([[at(shop, on("10:00")), 1]]);
    expect(starts(shop, { ...asked(2), rows: three })).toBe("");
    expect(why(shop, { ...asked(2), rows: three }, on("10:00"))).toBe("SEATS_TAKEN");
    const full = [...three, ...book(shop, { ...asked(1), rows: three }, on("10:00"))];
    expect(days(shop, { ...asked(1), rows: full })[0]?.state).toBe("FULL");
  });

  test("takes its hall once, however many come", () => {
    const roomy = aShop({
      ...shop.objects,
      resource: [aResource("hall", { capacity: 2 })],
      schedule: mornings,
      policy: hourly,
    });
    roomy.objects.staff = [aPerson("ann"), aPerson("bea")];
    const first = book(roomy, asked(1), on("10:00"));
    const rows = [...first, ...book(roomy, { ...asked(2), rows: first }, on("10:00"))];
    const slot = slots(roomy, { ...asked(4), rows }).find(({ startMin }) => startMin === at(roomy, on("10:00")));
    expect(slot).toMatchObject({ spotsLeft: 4, segments: [{ staffKey: "bea", staffKeys: ["bea"] }] });
  });

  test("is filled before another is started", () => {
    const both = aShop({ ...shop.objects, service: [{ ...yoga, resources: [] }], schedule: mornings, policy: hourly });
    both.objects.staff = [aPerson("ann"), aPerson("bea")];
    const rows = book(both, { ...asked(1), services: [wish("yoga", { staff: "bea" })] }, on("10:00"));
    const slot = slots(both, { ...asked(1), rows }).find(({ startMin }) => startMin === at(both, on("10:00")));
    expect(slot).toMatchObject({
      spotsLeft: 3,
      spotsTotal: 4,
      segments: [{ staffKey: "bea", staffKeys: ["ann", "bea"] }],
    });
  });

  test("keeps its teacher from other work, and other work the teacher from it", () => {
    const rows = book(shop, asked(1), on("10:00"));
    expect(starts(shop, { on: MONDAY, services: [wish("massage")], rows })).toBe("11:00");
    const massage = book(shop, { on: MONDAY, services: [wish("massage")] }, on("09:00"));
    expect(starts(shop, { ...asked(1), rows: massage })).toBe("11:00");
  });

  test("that began off the grid can be joined when it began, unless its teacher is now away", () => {
    const rows = [busy(shop, on("09:40"), on("10:40"), { staffKey: "ann", serviceKey: "yoga" })];
    expect(starts(shop, { ...asked(1), rows })).toBe("09:40 11:00");
    const away = aShop({ ...shop.objects, schedule: mornings, policy: hourly });
    away.objects.staff = [
      aPerson("ann", { timeOff: [{ from: at(shop, on("10:00")) * 60_000, to: at(shop, on("10:30")) * 60_000 }] }),
    ];
    expect(starts(away, { ...asked(1), rows })).toBe("11:00");
  });
});

describe("a visit of several services", () => {
  const shop = aShop({
    service: [
      aService("cut", { durationMin: 60, staff: ["ann", "bea"], bufferAfterMin: 30 }),
      aService("color", { durationMin: 60, staff: ["bea", "cid"], bufferBeforeMin: 30 }),
      aService("sauna", { durationMin: 30 }),
    ],
    staff: [aPerson("ann"), aPerson("bea"), aPerson("cid")],
    schedule: { hours: [daily("09:00", "13:00")] },
    policy: hourly,
  });
  const visit = { on: MONDAY, services: [wish("cut"), wish("color")] };
  const told = (rows: ReturnType<typeof book> = [], catalog = shop, asked: typeof visit = visit) =>
    slots(catalog, { ...asked, rows }).map(({ startMin, segments }) =>
      [(startMin - at(shop, on("00:00"))) / 60, ...segments.map(({ staffKey }) => staffKey ?? "-")].join(" "),
    );

  test("is done by one person if one can do it all, without buffers in between", () => {
    expect(told()).toEqual(["9 bea bea", "10 bea bea", "11 bea bea"]);
  });

  test("changes person where nobody can do it all", () => {
    expect(told([busy(shop, on("12:00"), on("13:00"), { staffKey: "bea" })])).toEqual([
      "9 bea bea",
      "10 bea bea",
      "11 ann cid",
    ]);
  });

  test("tells all who could take each segment", () => {
    const [first] = slots(shop, visit);
    expect(first?.segments.map(({ staffKeys }) => staffKeys)).toEqual([
      ["ann", "bea"],
      ["bea", "cid"],
    ]);
  });

  test("waits between two services for as long as the business allows, and no longer", () => {
    const rows = [
      busy(shop, on("10:00"), on("10:20"), { staffKey: "bea" }),
      busy(shop, on("10:00"), on("10:20"), { staffKey: "cid" }),
    ];
    const nine = { ...visit, services: [wish("cut", { staff: "ann" }), wish("color")] };
    const patient = (maxGapMin: number) => {
      const catalog = {
        ...shop,
        business: { ...shop.business, bookingPolicy: { ...shop.business.bookingPolicy, maxGapMin } },
      };
      return slots(catalog, { ...nine, rows }).map(({ segments }) =>
        segments.map((s) => s.startMin - at(shop, on("09:00"))),
      );
    };
    expect(patient(49)).toEqual([
      [60, 120],
      [120, 180],
    ]);
    // Twenty past ten, and half an hour's buffer.
    expect(patient(50)).toEqual([
      [0, 110],
      [60, 120],
      [120, 180],
    ]);
  });

  test("is refused for the segment that stops it", () => {
    const rows = ["bea", "cid"].map((staffKey) => busy(shop, on("10:00"), on("11:00"), { staffKey }));
    expect(why(shop, { ...visit, rows }, on("09:00"))).toBe("TAKEN 1");
  });

  test("keeps its person through a service for which nobody is needed", () => {
    const asked = { on: MONDAY, services: [wish("cut"), wish("sauna"), wish("color")] };
    expect(told([], shop, asked)).toEqual(["9 bea - bea", "10 bea - bea"]);
  });

  test("is found where only a later start of its middle leads to its end", () => {
    const dye = aShop({
      service: ["one", "two", "three"].map((key, i) =>
        aService(key, { durationMin: 30, staff: [["ann"], ["bea"], ["cid"]][i] ?? [] }),
      ),
      staff: [aPerson("ann"), aPerson("bea"), aPerson("cid", { hours: [daily("10:10", "12:00")] })],
      schedule: mornings,
      policy: { ...hourly, maxGapMin: 10 },
    });
    const [nine] = slots(dye, { on: MONDAY, services: [wish("one"), wish("two"), wish("three")] });
    expect(nine?.segments.map(({ startMin }) => startMin - at(dye, on("09:00")))).toEqual([0, 30, 70]);
  });
});

describe("tables", () => {
  const shop = aShop({
    area: [anArea("in"), anArea("out")],
    table: [
      aTable("four", { minSeats: 2, maxSeats: 4, area: "in" }),
      aTable("two", { maxSeats: 2, area: "in" }),
      aTable("garden", { maxSeats: 2, area: "out" }),
    ],
    schedule: {
      hours: [daily("18:00", "22:00")],
      turnTimes: [
        { upTo: 2, min: 90 },
        { upTo: 6, min: 120 },
      ],
    },
    policy: hourly,
  });
  const tables = (rows: ReturnType<typeof book>, area: string | null = null, partySize = 2) =>
    slots(shop, { on: MONDAY, partySize, area, rows }).map(
      ({ segments, spotsLeft }) => `${segments[0]?.tableKey} ${spotsLeft}`,
    );

  test("go to the smallest that is free, by their keys where they are the same", () => {
    expect(tables([])).toEqual(["garden 3", "garden 3", "garden 3"]);
    const one = book(shop, { on: MONDAY, partySize: 2 }, on("19:00"));
    expect(tables(one)).toEqual(["two 2", "two 2", "two 2"]);
    const both = [...one, ...book(shop, { on: MONDAY, partySize: 2, rows: one }, on("19:00"))];
    expect(tables(both)).toEqual(["four 1", "four 1", "four 1"]);
  });

  test("are held for as long as a party of that size stays, and end with the evening", () => {
    expect(starts(shop, { on: MONDAY, partySize: 2 })).toBe("18:00 19:00 20:00");
    const rows = book(shop, { on: MONDAY, partySize: 4 }, on("18:00"));
    expect(starts(shop, { on: MONDAY, partySize: 4, rows })).toBe("20:00");
    expect(why(shop, { on: MONDAY, partySize: 4, rows }, on("19:00"))).toBe("TAKEN");
  });

  test("are looked for in the area that is asked for", () => {
    expect(tables([], "in")[0]).toBe("two 2");
  });
});

describe("the next slots", () => {
  const shop = aShop({
    service: [aService("sauna", { durationMin: 60, variants: [aVariant("long", { durationMin: 120 })] })],
    schedule: { hours: [daily("09:00", "12:00", { validFrom: "2027-01-20", validTo: "2027-01-21" })] },
    policy: { ...hourly, maxAdvanceDays: 62 },
  });
  const next = (limit: number, now = "2026-11-20T12:00:00Z", from = "2026-11-20") => {
    const loaded: string[] = [];
    const found = nextSlots(
      shop,
      questionOf({ on: from, services: [wish("sauna")] }),
      Date.parse(now),
      limit,
      (window) => {
        loaded.push(`${(window.end - window.start) / 1440}`);
        return [busy(shop, "2027-01-20T10:00", "2027-01-20T11:00", { serviceKey: "sauna" })];
      },
    );
    return { found: found.map(({ startMin }) => (startMin - at(shop, "2027-01-20T00:00")) / 60), loads: loaded.length };
  };

  test("are looked for a month at a time, up to the horizon", () => {
    expect(next(2)).toEqual({ found: [9, 11], loads: 2 });
    expect(next(99)).toEqual({ found: [9, 11, 33, 34, 35], loads: 3 });
    expect(next(1, "2026-11-10T12:00:00Z")).toEqual({ found: [], loads: 2 });
  });

  test("begin neither before the day that is asked for nor before now", () => {
    expect(next(1, "2027-01-20T15:30:00Z").found).toEqual([11]);
    expect(next(1, "2026-11-25T12:00:00Z", "2027-01-21").found).toEqual([33]);
  });
});

test("the window to load reaches back by the longest service and twice the longest buffer", () => {
  const shop = aShop({
    service: [
      aService("cut", { durationMin: 60, bufferAfterMin: 20, staff: ["ann"] }),
      aService("bridal", { durationMin: 100, variants: [aVariant("party", { durationMin: 300 })], staff: ["ann"] }),
    ],
    staff: [aPerson("ann", { serviceOverrides: [{ service: "bridal", durationMin: 360, priceCents: null }] })],
  });
  const { plan } = openingsFor(shop, { on: MONDAY, services: [wish("cut")] });
  expect(busyWindow(plan)).toEqual({ start: at(shop, on("00:00")) - 400, end: at(shop, "2026-11-24T00:00") + 400 });
});

import { expect, test } from "vitest";
import { createTerminal } from "../../support/cli.ts";

const CATALOG = `catalog: 1
business: { slug: salon, name: Salon, timezone: Europe/Zurich, currency: CHF }
hours: [{ days: mon-sun, start: "09:00", end: "17:00" }]
closures:
  - { from: 2030-12-24, to: 2030-12-26, name: Winter Break }
  - { from: 2031-02-01, to: 2031-02-02, name: Ski }
  - { from: 2032-02-01, to: 2032-02-02, name: Ski }
staff:
  - { key: mia, name: Mia Rossi }
  - { key: noe-1, name: Noé Bär }
  - { key: noe-2, name: Noé Bär }
services:
  - key: cut
    name: "Cut: long"
    durationMin: 30
    price: 35.00
    staff: [mia, noe-1]
    variants:
      - { key: kids, name: For Children, durationMin: 20, price: 20.00, default: true }
  - { key: wash, name: Wash, durationMin: 30, price: 20.00, staff: [mia] }
menu:
  modifierGroups: [{ key: milk, name: Milk, options: [{ key: oat, name: Oat Milk, price: 0.50 }] }]
  items: [{ key: soup, name: Tomato Soup, price: 8.00, sizes: [{ key: cup, name: Cup, price: 5.00 }] }]
promotions: [{ key: tenth, name: A Tenth, benefit: { type: percent_off, percent: 10 } }]
events:
  - key: gala
    name: Gala Night
    startsAt: 2030-12-01T19:00
    durationMin: 180
    ticketTypes: [{ key: seat, name: Seat, price: 10.00 }]
`;

async function createSalon() {
  const { deskbell } = createTerminal();
  const { code, stderr } = await deskbell("catalog apply -", CATALOG);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return deskbell;
}

test.each([
  "services show 'cut: LONG'",
  "services update ' Wash ' --price 21.00",
  "services update 'Cut: long' --variant 'for children' --price 21.00",
  "services create --name Perm --price 9 --duration 9 --staff 'mia rossi'",
  "menu show 'tomato soup'",
  "menu update 'Tomato Soup' --size CUP --price 6.00",
  "menu sold-out 'Tomato Soup'",
  "menu sold-out 'oat milk'",
  "staff show 'Mia Rossi'",
  "staff update 'Mia Rossi' --title Boss --remove-service wash --add-service 'Cut: Long' --dry-run",
  "staff hours update 'mia rossi' --day mon --open 10:00-12:00",
  "staff delete noe-2 --yes",
  "staff create --name Ana --service Wash",
  "time-off create 'Mia Rossi' --from tomorrow --to tomorrow",
  "today --staff 'Mia Rossi'",
  "promotions update 'a tenth' --percent 12,5",
  "promotions pause 'A Tenth'",
  "public-events update 'Gala Night' --start 20:00",
  "public-events cancel 'Gala Night'",
  "availability --service wash --staff 'mia rossi' --date tomorrow",
  "availability --service 'cut: long' --staff 'Cut: long:Mia Rossi' --date tomorrow",
  "bookings create --service wash --staff 'Wash:Mia Rossi' --start 'tomorrow 10:00'",
  "bookings list --staff 'Mia Rossi' --service Wash",
  "closures delete 'winter break'",
])("a name in upper or lower case stands for its object: %s", async (line) => {
  const deskbell = await createSalon();
  // A second staff member performs the service, because the only one could not be removed.
  await deskbell("staff update noe-1 --add-service wash");
  const { code, stderr } = await deskbell(line);
  expect({ code, stderr }).toMatchObject({ code: 0 });
});

test.each([
  ["staff hours update 'noé bär' --day mon --closed", "noe-1, noe-2"],
  ["bookings create --service cut --staff 'Noé Bär' --start 'tomorrow 10:00'", "noe-1, noe-2"],
  ["closures delete ski", "2031-02-01, 2032-02-01"],
])("an ambiguous name is rejected with the keys that it may mean: %s", async (line, keys) => {
  const deskbell = await createSalon();
  expect(await deskbell(line)).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(new RegExp(`is ambiguous: it is that of ${keys}\\.\nfix: use `)),
  });
});

test("services show prefers the service whose key is the given text to a service whose name is the given text", async () => {
  const deskbell = await createSalon();
  await deskbell("services update cut --name wash");
  expect((await deskbell("services show wash")).stdout).toMatch(/^key\twash$/m);
});

test("closures delete accepts a day by name, such as tomorrow", async () => {
  const deskbell = await createSalon();
  await deskbell("closures create --date tomorrow");
  expect(await deskbell("closures delete tomorrow")).toMatchObject({ code: 0 });
  expect(await deskbell("closures delete easter")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("There is no closure with the first day or name 'easter'."),
  });
});

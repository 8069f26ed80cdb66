import { expect, test } from "vitest";
import { editObject } from "../../../../../src/app/catalog/changes/edit-object.ts";
import { businessOf, findAll, firstService, listMade, openPage, timesOf } from "../../open-page.ts";

const CUT = /href="([^"]*\?service=[^"]+)"[^>]*><strong><bdi>Cut/g;

/** Returns what the summary of a page says, line by line. */
const linesOfSummary = (html: string): string[] => {
  const [summary = ""] = findAll(html, /<div class="card summary"><dl>(.*?)<\/dl>/gs);
  return summary
    .split(/<(?:\/?d[dt]|span class="line")>/)
    .map((part) => part.replaceAll(/<[^>]*>/g, "").trim())
    .filter((line) => line !== "");
};

async function openVariants() {
  const opened = openPage();
  const [cut = ""] = findAll(await opened.visitor.get(opened.base), CUT);
  const options = await opened.visitor.get(cut);
  const [short = "", long = ""] = findAll(options, /name="variant" value="([^"]+)"/g);
  return { ...opened, cut, short, long };
}

test("a URL without a variant leads to the times and the price of the default variant, and names it", async () => {
  const { api, visitor, cut, short, long } = await openVariants();
  const { action, times } = await visitor.openTimes(`${cut}&variant=${long}&staff=any`);
  await visitor.hold(action, times[0]!);
  const unnamed = await visitor.openTimes(`${cut}&staff=any`);
  expect(linesOfSummary(unnamed.html).slice(0, 2)).toEqual(["What", "Cut & blow-dry, Short hair"]);
  // The visitor's hold is for another variant, whose price differs.
  expect(unnamed.html).not.toContain('<span class="faint">$130.00</span>');
  const details = await visitor.hold(unnamed.action, unnamed.times[0]!);
  expect(new URLSearchParams(details.split("?")[1]).get("variant")).toBe(short);
  expect((await visitor.book(details)).status).toBe(303);
  expect(listMade(api)).toMatchObject([{ segments: [{ variantId: short }] }]);
});

test.each(["another variant", "no variant"])(
  "the form of a URL with %s books what it shows, and not the variant of the hold that the URL names",
  async (named) => {
    const { api, visitor, cut, short, long } = await openVariants();
    const { action, times } = await visitor.openTimes(`${cut}&variant=${long}&staff=any`);
    const details = await visitor.hold(action, times[0]!);
    const changed = details.replace(
      `variant=${long}&`,
      named === "no variant" ? "" : `variant=${short}&`,
    );
    const html = await visitor.get(changed);
    expect(linesOfSummary(html)).toContain("Cut & blow-dry, Short hair");
    expect(html).not.toContain("We keep this time for you until");
    expect((await visitor.book(changed)).status).toBe(303);
    expect(listMade(api)).toMatchObject([{ segments: [{ variantId: short }] }]);
  },
);

test("the form for a table books the area and the party that it shows, and not those of another hold", async () => {
  const { api, base, visitor } = openPage("restaurant");
  const areas = findAll(await visitor.get(`${base}?table=1`), /name="area" value="([^"]+)"/g);
  const [area = "", other = ""] = areas;
  const url = `${base}?table=1&party=2&area=`;
  const { action, times } = await visitor.openTimes(url + area);
  const details = await visitor.hold(action, times[0]!);
  expect(await visitor.get(details)).toContain("We keep this time for you until");
  const inOther = details.replace(area, other);
  expect(await visitor.get(inOther)).not.toContain("We keep this time for you until");
  expect((await visitor.book(inOther)).status).toBe(303);
  const anywhere = await visitor.openTimes(`${base}?party=2`);
  const larger = await visitor.hold(anywhere.action, anywhere.times[0]!);
  expect((await visitor.book(larger.replace("party=2", "party=4"))).status).toBe(303);
  expect(listMade(api)).toMatchObject([{ areaId: other, partySize: 2 }, { partySize: 4 }]);
});

test("the summary lists the required add-ons that a URL does not name, because the total contains them", async () => {
  const { api, base, visitor } = openPage();
  const { id, slug } = businessOf(api);
  const [addon] = api.store.catalog.listByKind(id, "addon");
  const link = { addon: addon!.key, required: true, minQuantity: 1, maxQuantity: 3 };
  const { key } = firstService(api);
  const setQuantity = (defaultQuantity: number) =>
    editObject(api, slug, "service", key, (doc) => ({
      ...doc,
      addons: [{ ...link, defaultQuantity, priceCents: null, durationMin: null }],
    }));
  setQuantity(2);
  const line = `+ 2 × ${addon!.name}`;
  const { html, action, times } = await visitor.openTimes(timesOf(api, base, key));
  expect(linesOfSummary(html)).toContain(line);
  const details = await visitor.hold(action, times[0]!);
  // The hold keeps the add-ons that the page has shown.
  setQuantity(3);
  expect(linesOfSummary(await visitor.get(details))).toContain(line);
  const response = await visitor.book(details);
  expect(linesOfSummary(await visitor.get(response.headers.get("location") ?? ""))).toContain(line);
  expect(listMade(api)).toMatchObject([{ segments: [{ addons: [{ quantity: 2 }] }] }]);
});

test("a hold keeps its terms if its service requires an add-on meanwhile", async () => {
  const { api, base, visitor } = openPage();
  const { id, slug } = businessOf(api);
  const [addon] = api.store.catalog.listByKind(id, "addon");
  const { key } = firstService(api);
  editObject(api, slug, "service", key, (doc) => ({ ...doc, addons: [] }));
  const { action, times } = await visitor.openTimes(timesOf(api, base, key));
  const details = await visitor.hold(action, times[0]!);
  editObject(api, slug, "service", key, (doc) => ({
    ...doc,
    addons: [
      {
        addon: addon!.key,
        required: true,
        minQuantity: 1,
        maxQuantity: 1,
        defaultQuantity: 1,
        priceCents: null,
        durationMin: null,
      },
    ],
  }));
  const html = await visitor.get(details);
  expect(html).toContain("We keep this time for you until");
  expect(html).not.toContain(addon!.name);
  expect((await visitor.book(details)).status).toBe(303);
  expect(listMade(api)).toMatchObject([{ segments: [{ addons: [] }] }]);
});

import { expect, test } from "vitest";
import { editObject } from "../../../../src/app/catalog/changes/edit-object.ts";
import { businessOf, findAll, openPage, timesOf } from "../open-page.ts";

const SERVICE = "cut-and-blow-dry";

test("the page of a visit has the catalog's names in the language in which the guest booked", async () => {
  const { api, base, visitor } = openPage();
  const { id, slug } = businessOf(api);
  const edit = (change: Parameters<typeof editObject<"service">>[4]) =>
    editObject(api, slug, "service", SERVICE, change);
  const { addons } = api.store.catalog.findByKeyOrId(id, "service", SERVICE)!;
  const [{ addon: addonKey }] = addons as [(typeof addons)[number]];
  editObject(api, slug, "addon", addonKey, (doc) => ({
    ...doc,
    translations: { es: { name: "Masaje" } },
  }));
  edit((doc) => ({
    ...doc,
    addons: doc.addons
      .filter(({ addon }) => addon === addonKey)
      .map((link) => ({ ...link, required: true, minQuantity: 1, defaultQuantity: 1 })),
    variants: doc.variants.map((variant) =>
      variant.isDefault ? { ...variant, translations: { es: { name: "Pelo corto" } } } : variant,
    ),
  }));
  const { action, times } = await visitor.openTimes(`${timesOf(api, base, SERVICE)}&lang=es`);
  const response = await visitor.book(await visitor.hold(action, times[0]!));
  const link = response.headers.get("location") ?? "";
  const namesAt = async (url: string) =>
    findAll(await visitor.get(url), /<span class="line">(?:<[^>]*>)*([^<]+)/g).slice(0, 2);
  expect(await namesAt(link)).toEqual(["Corte y secado, Pelo corto", "+ Masaje"]);
  expect(await visitor.get(`${link}/visit.ics`)).toContain("Corte y secado\\, Pelo corto");
  expect((await namesAt(`${link}?lang=en`))[0]).toBe("Cut & blow-dry, Short hair");
  // A service that is renamed later keeps the name that was booked.
  edit((doc) => ({ ...doc, name: "Something else" }));
  expect((await namesAt(link))[0]).toBe("Cut & blow-dry, Pelo corto");
});

test("the booking page and the page of a visit have the name of an area in the language of the guest", async () => {
  const { base, visitor } = openPage("restaurant");
  const options = await visitor.get(`${base}?table=1&lang=de`);
  const [terrace = ""] = findAll(
    options,
    /name="area" value="([^"]+)"\/><span><bdi>Terrasse am Fluss/g,
  );
  const { action, html, times } = await visitor.openTimes(
    `${base}?party=2&area=${terrace}&lang=de`,
  );
  expect(html).toContain("<bdi>Terrasse am Fluss</bdi>");
  const response = await visitor.book(await visitor.hold(action, times[0]!));
  const page = await visitor.get(response.headers.get("location") ?? "");
  expect(page).toContain("<bdi>Terrasse am Fluss</bdi>");
});

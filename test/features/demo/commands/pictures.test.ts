import { expect, onTestFinished, test } from "vitest";
import { applyCatalog } from "../../../../src/app/catalog/catalog.ts";
import { startPictures } from "../../../../src/features/demo/commands/pictures.ts";
import { publishPage } from "../../../../src/features/public-pages/publish.ts";
import { startServer } from "../../../../src/http/server.ts";
import { PRESETS, readPreset } from "../../../../src/platform/assets.ts";
import { useBrowser } from "../../../support/browser.ts";
import { drive } from "../../../support/page-driver.ts";
import { patient } from "../../../support/patience.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

const openPage = useBrowser();

/** Serves the pages of the samples with the pictures of the demo. */
async function serveSamples() {
  const rt = createTestRuntime({}, Date.now());
  const pictures = await startPictures(0);
  onTestFinished(() => pictures.close());
  for (const preset of PRESETS) {
    const text = pictures.illustrate(readPreset(preset));
    const { slug } = applyCatalog(rt, [{ name: `${preset}.yaml`, text }], { seedingAt: rt.now() });
    publishPage(rt, slug);
  }
  const server = await startServer(rt, { host: "127.0.0.1", port: 0 });
  onTestFinished(() => server.close());
  return server.url;
}

const PATHS = [
  "/",
  "/b/salon-aurora",
  "/b/cafe-lumen?lang=de",
  "/b/cafe-lumen/menu?lang=fr",
  "/b/kita-live",
  "/b/kita-live/events",
  "/b/kita-live/events/blue-hour-quartet",
  "/b/nobody",
];

declare const document: {
  images: Iterable<{ complete: boolean; naturalWidth: number; loading: string }>;
  querySelector: (selector: string) => { textContent: string } | null;
};

const findBrokenImages = async () =>
  [...document.images].filter(
    ({ complete, naturalWidth, loading }) => loading !== "lazy" && !(complete && naturalWidth > 0),
  ).length;

test.for([
  { width: 360, dark: false, scripts: true },
  { width: 1280, dark: true, scripts: true },
  { width: 360, dark: true, scripts: false },
])(
  "the sample pages with their pictures pass axe, fit the screen and log no error, with %o",
  { timeout: patient(60_000) },
  async (options, test) => {
    const url = await serveSamples();
    const page = await openPage(test, `${url}/`, options);
    const reader = drive(page);
    for (const path of PATHS) {
      await page.open(url + path);
      expect([path, await reader.findViolations(), await reader.measureOverflow()]).toEqual([
        path,
        [],
        0,
      ]);
      expect([path, await page.run(findBrokenImages)]).toEqual([path, 0]);
    }
    expect(page.errors.filter((error) => !error.includes("404"))).toEqual([]);
  },
);

const readWhen = async () => document.querySelector(".when")?.textContent ?? "";

test("the page of an event in another time zone also shows the event's time in the reader's time zone", async (test) => {
  const url = await serveSamples();
  const path = "/b/kita-live/events/blue-hour-quartet?lang=en";
  const withScripts = await openPage(test, url + path);
  await expect
    .poll(() => withScripts.run(readWhen))
    .toMatch(/(?:7:30 PM|19:30).*in your time zone/);
  const without = await openPage(test, url + path, { scripts: false });
  expect(await without.run(readWhen)).not.toContain("time zone");
});

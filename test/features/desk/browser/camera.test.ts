import { rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encode } from "uqr";
import { afterAll, expect, test } from "vitest";
import { findCode } from "../../../../src/features/desk/browser/later/scanner.ts";
import { createTicketStore } from "../../../../src/features/tickets/store.ts";
import {
  confirmTicketOrder,
  createTicketOrder,
} from "../../../../src/features/tickets/orders/orders.ts";
import { useBrowser } from "../../../support/browser.ts";
import { businessOf } from "../open-desk.ts";
import { type Fate, startLossyProxy } from "../lossy-proxy.ts";
import { openAll, openDeskPage, SLUG } from "../open-page.ts";

const WIDTH = 640;
const HEIGHT = 480;
/**
 * The film that Chromium shows instead of a camera. The test writes it before Chromium opens it.
 */
const FILM = join(tmpdir(), `deskbell-camera-${process.pid}.y4m`);
afterAll(() => rmSync(FILM, { force: true }));

const openPage = useBrowser([
  "--use-fake-device-for-media-stream",
  "--use-fake-ui-for-media-stream",
  `--use-file-for-fake-video-capture=${FILM}`,
]);

/** Returns the brightness of each pixel of a picture with a QR code in its middle. */
function drawCode(text: string, isInverted = false): Uint8Array {
  const { data, size } = encode(text);
  const scale = Math.floor((HEIGHT * 0.8) / size);
  const left = Math.floor((WIDTH - size * scale) / 2);
  const top = Math.floor((HEIGHT - size * scale) / 2);
  const [dark, light] = isInverted ? [235, 16] : [16, 235];
  return Uint8Array.from({ length: WIDTH * HEIGHT }, (_, i) => {
    const x = Math.floor(((i % WIDTH) - left) / scale);
    const y = Math.floor((Math.floor(i / WIDTH) - top) / scale);
    return data[y]?.[x] === true ? dark : light;
  });
}

const toImage = (brightness: Uint8Array) => ({
  data: Uint8ClampedArray.from({ length: brightness.length * 4 }, (_, i) =>
    i % 4 === 3 ? 255 : brightness[i >> 2]!,
  ),
  width: WIDTH,
  height: HEIGHT,
});

/** Writes a film of grey pictures in the format YUV4MPEG2. */
function writeFilm(pictures: readonly Uint8Array[]): void {
  const noColour = Buffer.alloc((WIDTH * HEIGHT) / 2, 128);
  writeFileSync(
    FILM,
    Buffer.concat([
      Buffer.from(`YUV4MPEG2 W${WIDTH} H${HEIGHT} F10:1 Ip A1:1 C420mpeg2\n`),
      ...pictures.flatMap((picture) => [Buffer.from("FRAME\n"), Buffer.from(picture), noColour]),
    ]),
  );
}

test.each([false, true])(
  "the decoder reads the code of a ticket in a picture (light on dark: %s)",
  (isInverted) => {
    expect(findCode(toImage(drawCode("ABCD-EFGH-JKLM-NPQR", isInverted)))).toBe(
      "ABCD-EFGH-JKLM-NPQR",
    );
  },
);

test("the decoder finds nothing in a picture without a code", () => {
  expect(findCode(toImage(new Uint8Array(WIDTH * HEIGHT).fill(200)))).toBeNull();
});

test("the camera checks in two tickets once each, and the page loads the decoder only to use the camera", async (test) => {
  let codes: string[] = [];
  const { rt, reader, page } = await openDeskPage(test, openPage, {
    prepare(rt) {
      const { id } = createTicketOrder(rt, SLUG, { event: "gala", items: ["seat*3"] });
      const { tickets } = confirmTicketOrder(rt, SLUG, id);
      codes = tickets.map(({ admissionCode }) => admissionCode);
      const [first, second] = codes.map((code) => drawCode(code));
      const nothing = new Uint8Array(WIDTH * HEIGHT).fill(200);
      // Each code is in sight for two seconds, and comes back.
      writeFilm([first, nothing, second, nothing].flatMap((one) => Array(20).fill(one!)));
    },
  });
  const admitted = () =>
    rt
      .openStore(createTicketStore)
      .list({ businessId: businessOf(rt).id }, 10)
      .filter(({ status }) => status === "CHECKED_IN").length;
  const scanner = (url: string) => url.includes("/scanner-");
  await page.run(openAll);
  expect(page.requests.some(scanner)).toBe(false);
  await reader.click("Scan with the camera");
  await reader.waitForText("Hold the code of the ticket before the camera.");
  await expect.poll(admitted, { timeout: 40_000 }).toBe(2);
  expect(page.requests.filter(scanner)).toHaveLength(1);
  expect(page.errors).toEqual([]);
  await reader.click("Stop the camera");
  await reader.waitForText("Scan with the camera");
  expect(admitted()).toBe(2);
}, 90_000);

test("the camera checks in a ticket that it saw while another action was being saved", async (test) => {
  let decide: (method: string) => Fate = () => "passes";
  let proxy!: Awaited<ReturnType<typeof startLossyProxy>>;
  const { rt, reader, page, statusOf } = await openDeskPage(test, openPage, {
    async connect(url) {
      proxy = await startLossyProxy(url, (method) => decide(method));
      return proxy.url;
    },
    prepare(runtime) {
      const { id } = createTicketOrder(runtime, SLUG, { event: "gala", items: ["seat"] });
      const [ticket] = confirmTicketOrder(runtime, SLUG, id).tickets;
      writeFilm([drawCode(ticket!.admissionCode)]);
    },
  });
  await page.run(openAll);
  decide = (method) => (method === "POST" ? "held" : "passes");
  await reader.click("Accept");
  await expect.poll(proxy.heldCount).toBe(1);
  await reader.click("Scan with the camera");
  await reader.waitForText("Wait: the last entry is still being saved.");
  decide = () => "passes";
  proxy.release();
  await reader.waitForText("Checked in: Gala, Seat.");
  const tickets = rt.openStore(createTicketStore).list({ businessId: businessOf(rt).id }, 10);
  expect([statusOf(), ...tickets.map(({ status }) => status)]).toEqual(["CONFIRMED", "CHECKED_IN"]);
}, 60_000);

test("a browser that forbids the camera shows that the code must be typed", async (test) => {
  const { reader, page } = await openDeskPage(test, openPage);
  await page.run(openAll);
  await page.run(async () => {
    const { navigator } = globalThis as unknown as { navigator: { mediaDevices: object } };
    Object.assign(navigator.mediaDevices, {
      getUserMedia: () => Promise.reject(new Error("forbidden")),
    });
  });
  await reader.click("Scan with the camera");
  await reader.waitForText("The camera cannot be used.");
  expect(await reader.findViolations()).toEqual([]);
}, 60_000);

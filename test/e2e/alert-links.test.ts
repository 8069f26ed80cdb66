import { expect, test } from "vitest";
import { createClient } from "../../src/client/index.ts";
import { useBrowser } from "../support/browser.ts";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../support/daemon.ts";
import { drive } from "../support/page-driver.ts";
import { findFreePort } from "../support/proxies.ts";
import { createReceiver } from "../support/receiver.ts";
import { createTempFolder, runProgram } from "../support/cli.ts";
import { apiKey, filesOf, findIn } from "../support/secret-search.ts";

const openPage = useBrowser();

test("a phone without scripts accepts a booking from the button of an alert", async (test) => {
  const { dataDir, deskbell } = await createSeededSalon();
  const chat = await createReceiver();
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const daemon = spawnDaemon(
    dataDir,
    "--access-log",
    "--alert-links",
    `--port=${port}`,
    `--public-url=${url}`,
    `--alert-url=${chat.url}`,
    "--alert-format=ntfy",
  );
  await waitForUrl(daemon);
  const key = await deskbell("keys", "create", "--name", "website", "--secret");
  const business = "salon-aurora";
  const client = createClient({ baseUrl: url, business, key });
  const services = await client.listServices();
  const wedding = services.data.find(({ name }) => name === "Wedding day")!;
  const { data } = await client.getAvailability({
    serviceIds: [wedding.id],
    granularity: "next",
    limit: 9,
  });
  // The test books the last time, because the first times can become too soon to book while it
  // runs.
  const slot = "slots" in data ? data.slots.at(-1) : undefined;
  const { data: booking } = await client.createBooking({
    idempotencyKey: "wedding",
    body: {
      startsAt: slot!.startsAt,
      segments: [{ serviceId: wedding.id }],
      customer: { name: "Ana Silva", email: "ana@example.com" },
    },
  });
  expect(booking.status).toBe("PENDING");
  await chat.waitForRequests(1);
  const [{ headers, body }] = chat.requests as [(typeof chat.requests)[number]];
  const [accept, decline] = JSON.parse(String(headers["actions"])) as {
    label: string;
    url: string;
  }[];
  expect([accept?.label, decline?.label]).toEqual(["Accept", "Decline"]);
  expect(body.toString()).toContain("a booking of Wedding day");
  expect(JSON.stringify(headers) + body.toString()).not.toMatch(/Ana|ana@/);

  const page = await openPage(test, accept!.url, { width: 360, scripts: false });
  const reader = drive(page);
  await reader.waitForText("Accept this visit?");
  expect(await reader.readText()).toContain("Wedding day, Valentina");
  expect(await reader.measureOverflow()).toBe(0);
  expect(await reader.findViolations()).toEqual([]);
  await reader.click("Accept");
  await reader.waitForText("Accepted.");
  expect((await client.getBooking({ id: booking.id })).data.status).toBe("CONFIRMED");
  await page.open(decline!.url);
  await reader.waitForText("This link has ended.");
  expect(await deskbell("audit", "list", "--visit", booking.id)).toMatch(
    /alert link.*booking\.approved/,
  );
  expect(page.errors.filter((text) => !text.includes("404"))).toEqual([]);

  const token = /deskbell_al_\w+/.exec(accept!.url)![0];
  await expect.poll(daemon.output).toContain(`/b/${business}/alert-links/deskbell_al_…/accept`);
  const places = new Map([...filesOf(dataDir), ["the log", Buffer.from(daemon.output())]]);
  const secrets = [apiKey("the link", token), apiKey("its secret", token.split("_").at(-1)!)];
  expect(findIn(places, secrets)).toEqual([]);
}, 120_000);

test.each([[], ["--public-url", "http://salon.example.com"]])(
  "links in alerts are refused without an https URL: %j",
  async (...flags) => {
    const { code, stderr } = await runProgram([
      "serve",
      "--port=0",
      "--alert-links",
      `--data-dir=${createTempFolder()}`,
      ...flags,
    ]);
    expect(code).toBe(2);
    expect(stderr).toContain("--alert-links needs --public-url with the https URL of this server");
    expect(stderr).toContain("deskbell serve --alert-links --public-url");
  },
);

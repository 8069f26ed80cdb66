import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, type TestContext } from "vitest";
import { signatureError } from "../../src/domain/webhooks/webhook-post.ts";
import { getBusiness } from "../../src/app/businesses.ts";
import { createPartner } from "../../src/features/partners/partners.ts";
import { DEFAULT_SETTINGS } from "../../src/features/partners/rules.ts";
import { servePartnerPage } from "../features/partner-page/serve-page.ts";
import { useBrowser } from "../support/browser.ts";
import { createTerminal } from "../support/cli.ts";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../support/daemon.ts";
import { drive } from "../support/page-driver.ts";
import { SALON } from "../http/support/api.ts";

const openPage = useBrowser();

/** Starts a receiver that refuses every request until it has the secret that signs it. */
async function createVerifyingReceiver() {
  let secret = "";
  const verified: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const header = request.headers["x-service-signature"] as string | undefined;
      const body = Buffer.concat(chunks);
      const error = signatureError(header, body, secret, Math.floor(Date.now() / 1000));
      if (error === undefined) verified.push(body.toString());
      response.writeHead(error === undefined ? 200 : 401).end(error ?? "verified");
    });
  });
  const start = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  await start(0);
  onTestFinished(stop);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    verified,
    learn: (text: string) => void (secret = text),
    goDown: stop,
    comeBack: () => start(port),
  };
}

test("a stranger with a new key gets a first verified delivery by the quick start", async (test) => {
  const { dataDir, deskbell } = await createSeededSalon();
  const key = await deskbell(
    ..."keys create --name portal --scope webhooks.write --event-group catalog".split(" "),
  );
  const flags = ["--allow-http", "--allow-private", "127.0.0.0/8", "--access-log"];
  const daemon = spawnDaemon(dataDir, ...flags);
  const url = await waitForUrl(daemon);
  const receiver = await createVerifyingReceiver();

  const page = await openPage(test, `${url}/b/${SALON}/partner`, { width: 360 });
  const reader = drive(page);
  await reader.fill("API key", key);
  await reader.click("Open");
  await reader.fill("Where is your receiver?", receiver.url);
  await reader.click("Create the endpoint");
  await reader.waitForText("The signing secret.");
  await reader.click("Send a test event");
  await reader.waitForText("Not accepted: HTTP 401");
  receiver.learn(/whsec_\S+/.exec(await reader.readText())?.[0] ?? "");
  await reader.click("Send a test event");
  await reader.waitForText("Accepted: HTTP 200");
  expect(receiver.verified).toHaveLength(1);

  await deskbell(..."services update cut --name Haircut".split(" "));
  await expect.poll(() => receiver.verified.join("\n")).toContain('"service.updated"');
  await reader.click("Deliveries");
  await reader.waitForText("service.updated");
  expect(page.errors).toEqual([]);
  expect(daemon.output()).toContain(`"path":"/b/${SALON}/partner"`);
  expect(daemon.output()).not.toContain(key);
  expect(daemon.output()).not.toContain("whsec_");
}, 120_000);

type Partner = Awaited<ReturnType<typeof startPartner>>;

/**
 * Opens the page with the address and the key that `keys create` prints, and uses the page until
 * the partner's receiver has verified a delivery.
 */
async function startPartner(test: TestContext) {
  const { dataDir, deskbell } = await createSeededSalon();
  const url = await waitForUrl(
    spawnDaemon(dataDir, "--allow-http", "--allow-private", "127.0.0.0/8"),
  );
  const created = await createTerminal({ dataDir }).deskbell(
    "keys create --name portal --scope services.read --scope webhooks.write --self-rotation --limit-minute 5000 --limit-hour 50000",
  );
  const key = created.stdout.trim();
  const [address = ""] = /http\S+/.exec(created.stderr) ?? [];
  expect(address).toBe(`${url}/b/${SALON}/partner`);
  const receiver = await createVerifyingReceiver();
  const page = await openPage(test, address, { width: 360 });
  const reader = drive(page);
  const readSecret = async (pattern: RegExp) => pattern.exec(await reader.readText())?.[0] ?? "";
  await reader.fill("API key", key);
  await reader.click("Open");
  await reader.fill("Where is your receiver?", receiver.url);
  await reader.click("Create the endpoint");
  await reader.waitForText("The signing secret.");
  const secret = await readSecret(/whsec_\S+/);
  receiver.learn(secret);
  await reader.click("Send a test event");
  await reader.waitForText("Accepted: HTTP 200");
  return {
    key,
    secret,
    receiver,
    page,
    reader,
    readSecret,
    api: `${url}/v1/businesses/${SALON}`,
    changePrice: (price: string) =>
      deskbell(..."services update kids-cut --price".split(" "), price),
    /** Sends a test event that the receiver verifies. */
    async sendTest(): Promise<void> {
      const before = receiver.verified.length;
      await reader.click("Send a test event");
      await expect.poll(() => receiver.verified.slice(before).join("\n")).toContain("evt_test_");
      await reader.waitForText("Accepted: HTTP 200");
    },
    /** Reads the section again until it shows a text. */
    async refreshUntil(text: string): Promise<void> {
      const read = async () => {
        await reader.click("Refresh");
        return reader.readText();
      };
      await expect.poll(read, { interval: 250 }).toContain(text);
    },
    async waitForPrice(priceCents: number): Promise<void> {
      await expect
        .poll(() => receiver.verified.join("\n"))
        .toContain(`"priceCents":${priceCents},`);
    },
  };
}

/** The receiver was down: the partner starts it, and sends what waits. */
async function repairOutage({ receiver, reader, ...partner }: Partner): Promise<void> {
  receiver.goDown();
  await partner.changePrice("31.01");
  await partner.changePrice("31.02");
  await reader.click("Key");
  await partner.refreshUntil("no response in time");
  await reader.click("Find out why");
  await reader.waitForText("Check that the receiver runs");
  await receiver.comeBack();
  await partner.sendTest();
  await expect.poll(reader.readText).not.toContain("Nothing is sent until");
  await reader.click("Send the waiting events now");
  await partner.waitForPrice(3101);
  await partner.waitForPrice(3102);
  await partner.refreshUntil("Working since");
}

/** The receiver had another secret: the partner tries it with a refused test event. */
async function repairSecret({ receiver, reader, secret, ...partner }: Partner): Promise<void> {
  const other = `whsec_${"A".repeat(48)}`;
  receiver.learn(other);
  await partner.changePrice("31.03");
  await partner.refreshUntil("the receiver refuses the signature with HTTP 401 since");
  await reader.click("Send a test event");
  await reader.click("try its secret with this request");
  await reader.fill("Signing secret", other);
  await reader.click("Check");
  await reader.waitForText("Wrong secret");
  await reader.fill("Signing secret", secret);
  await reader.click("Check");
  await reader.waitForText("The signature is right");
  receiver.learn(secret);
  await reader.click("Endpoints");
  await partner.sendTest();
  await reader.click("Send the waiting events now");
  await partner.waitForPrice(3103);
  await partner.refreshUntil("Working since");
}

/** The endpoint was paused: the partner resumes it. */
async function resumeEndpoint({ reader, ...partner }: Partner): Promise<void> {
  await reader.click("Pause");
  await reader.waitForText("Paused since");
  await partner.changePrice("31.04");
  await reader.click("Deliveries");
  await reader.waitForText("by you, with this key");
  await reader.waitForText("Parked until resumed");
  await reader.click("Find out why");
  await reader.click("Resume");
  await partner.waitForPrice(3104);
  await partner.refreshUntil("Working since");
}

/** Returns the time a number of days from now, as a browser field for a date and time takes it. */
const daysFromNow = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 16);

/**
 * The partner sends the events of a range of time again. The receiver gets each event with the ID
 * that it had before.
 */
async function redeliverAll({ receiver, reader }: Partner): Promise<void> {
  const idsIn = (bodies: string[]) =>
    bodies.flatMap((body) => /evt_[0-9a-z]+(?=")/.exec(body) ?? []).toSorted();
  const readSent = (from = 0) => [...new Set(idsIn(receiver.verified.slice(from)))];
  // Each of the four changes of a price has three events.
  await expect.poll(() => readSent()).toHaveLength(12);
  const sent = readSent();
  await reader.click("Deliveries");
  await reader.fill("Created", "range");
  await reader.fill("Until", daysFromNow(-2));
  await reader.waitForText("0 deliveries");
  await reader.fill("Until", daysFromNow(2));
  await reader.fill("From", daysFromNow(-2));
  await reader.waitForText("12 deliveries");
  const before = receiver.verified.length;
  await reader.click("Send all of these again");
  await reader.click("Send 12 again");
  await expect.poll(() => readSent(before)).toEqual(sent);
}

/** The signing secret changes without a lost event, and the old secret ends. */
async function rotateSecret({ receiver, reader, ...partner }: Partner): Promise<void> {
  await reader.click("Endpoints");
  await reader.click("Signing secret");
  await reader.click("Rotate the secret");
  await reader.waitForText("A rotation is in progress");
  await partner.sendTest();
  await reader.click("Signature check");
  await reader.click("Endpoints");
  await reader.waitForText("The signing secret.");
  receiver.learn(await partner.readSecret(/whsec_\S+/));
  await reader.click("Signing secret");
  await reader.click("Finish the rotation");
  await reader.click("End the old secret");
  await reader.waitForText("Sign with both secrets for");
  await partner.sendTest();
}

/** The key rotates itself: the page goes on with the new secret, and the old one still works. */
async function rotateKey({ key, api, reader, readSecret }: Partner): Promise<void> {
  await reader.click("Key");
  await reader.click("Rotate the key");
  await reader.click("Rotate");
  await reader.waitForText("The old secret works until");
  await reader.click("Endpoints");
  await reader.waitForText("Working since");
  await reader.click("Key");
  await reader.waitForText("The new API key.");
  const newKey = await readSecret(/deskbell_rk_\w{20,}/);
  expect(newKey).not.toBe(key);
  for (const each of [key, newKey]) {
    const headers = { authorization: `Bearer ${each}` };
    expect((await fetch(`${api}/webhooks`, { headers })).status).toBe(200);
  }
}

test("a partner repairs three failures, sends events again and rotates its secrets on the page alone", async (test) => {
  const partner = await startPartner(test);
  await repairOutage(partner);
  await repairSecret(partner);
  await resumeEndpoint(partner);
  await redeliverAll(partner);
  await rotateSecret(partner);
  await rotateKey(partner);
  expect(partner.page.errors).toEqual([]);
}, 180_000);

test("the partner page shows no ID of a key that can be for several businesses", async (test) => {
  const { rt, url } = await servePartnerPage();
  const { secret } = createPartner(rt, {
    ...DEFAULT_SETTINGS,
    name: "agency",
    businesses: [getBusiness(rt, SALON)],
    coversAll: false,
    coversFuture: false,
  });
  const page = await openPage(test, url);
  const reader = drive(page);
  await reader.fill("API key", secret);
  await reader.click("Open");
  await reader.waitForText("This key cannot rotate itself.");
  expect(await reader.readText()).not.toContain("key_");
}, 60_000);

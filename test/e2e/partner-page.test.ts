import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test, type TestContext } from "vitest";
import { signatureError } from "../../src/domain/webhooks/webhook-post.ts";
import { useBrowser } from "../support/browser.ts";
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

/** Returns a time as a field for a local date and time takes it, a number of days from now. */
const localDay = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 16);

/** Opens the page with a key that may rotate itself, and leads it to a verified delivery. */
async function startPartner(test: TestContext) {
  const { dataDir, deskbell } = await createSeededSalon();
  const limits = "--limit-minute 5000 --limit-hour 50000";
  const key = await deskbell(
    ...`keys create --name portal --scope services.read --scope webhooks.write --self-rotation ${limits}`.split(
      " ",
    ),
  );
  const url = await waitForUrl(
    spawnDaemon(dataDir, "--allow-http", "--allow-private", "127.0.0.0/8"),
  );
  const receiver = await createVerifyingReceiver();
  const page = await openPage(test, `${url}/b/${SALON}/partner`, { width: 360 });
  const reader = drive(page);
  await reader.fill("API key", key);
  await reader.click("Open");
  await reader.fill("Where is your receiver?", receiver.url);
  await reader.click("Create the endpoint");
  await reader.waitForText("The signing secret.");
  const readSecret = async (pattern: RegExp) => pattern.exec(await reader.readText())?.[0] ?? "";
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
    /** Sends a test event that the receiver verifies. */
    async sendTest() {
      const before = receiver.verified.length;
      await reader.click("Send a test event");
      await expect.poll(() => receiver.verified.length).toBe(before + 1);
      await reader.waitForText("Accepted: HTTP 200");
    },
    api: `${url}/v1/businesses/${SALON}`,
    changePrice: (price: string) =>
      deskbell(..."services update kids-cut --price".split(" "), price),
    /** Reads the section again until it shows a text. */
    async refreshUntil(text: string): Promise<void> {
      await expect
        .poll(
          async () => {
            await reader.click("Refresh");
            return reader.readText();
          },
          { interval: 250, timeout: 30_000 },
        )
        .toContain(text);
    },
    async waitForPrice(priceCents: number): Promise<void> {
      await expect
        .poll(() => receiver.verified.join("\n"), { timeout: 30_000 })
        .toContain(`"priceCents":${priceCents},`);
    },
  };
}

test("a partner finds out on the page alone why nothing came, and repairs it", async (test) => {
  const { receiver, page, reader, secret, changePrice, refreshUntil, waitForPrice } =
    await startPartner(test);

  receiver.goDown();
  await changePrice("31.01");
  await changePrice("31.02");
  await reader.click("Key");
  await refreshUntil("My receiver: ");
  expect(await reader.readText()).toContain("The receiver could not be reached");
  await reader.click("Find out why");
  await reader.waitForText("Check that the receiver runs");
  await receiver.comeBack();
  await reader.click("Send the waiting events now");
  await waitForPrice(3101);
  await waitForPrice(3102);
  await refreshUntil("Working since");

  receiver.learn(`whsec_${"A".repeat(48)}`);
  await changePrice("31.03");
  await refreshUntil("the receiver refuses the signature with HTTP 401 since");
  expect(await reader.readText()).toContain("try the receiver's secret under Signature check");
  receiver.learn(secret);
  await reader.click("Send a test event");
  await reader.waitForText("Accepted: HTTP 200");
  await reader.click("Send the waiting events now");
  await waitForPrice(3103);
  await refreshUntil("Working since");

  await reader.click("Pause");
  await reader.waitForText("Paused since");
  await changePrice("31.04");
  await reader.click("Deliveries");
  await reader.waitForText("by you, with this key");
  await reader.click("Find out why");
  await reader.click("Resume");
  await waitForPrice(3104);
  await reader.waitForText("Working since");
  expect(page.errors).toEqual([]);
}, 180_000);

test("a partner sends a range of time again, and rotates both secrets", async (test) => {
  const { key, api, receiver, reader, readSecret, sendTest, changePrice, waitForPrice } =
    await startPartner(test);
  await changePrice("31.01");
  await waitForPrice(3101);
  await expect.poll(() => receiver.verified.join("\n")).toContain('"catalog.changed"');

  await reader.click("Deliveries");
  await reader.fill("Created", "range");
  await reader.fill("Until", localDay(-2));
  await reader.waitForText("0 deliveries");
  await reader.fill("Until", localDay(2));
  await reader.fill("From", localDay(-2));
  await reader.waitForText("3 deliveries");
  const before = receiver.verified.length;
  await reader.click("Send all of these again");
  await reader.click("Send 3 again");
  await expect.poll(() => receiver.verified.length).toBe(before + 3);
  expect(new Set(receiver.verified.slice(before))).toEqual(
    new Set(receiver.verified.slice(-6, -3)),
  );

  await reader.click("Endpoints");
  await reader.click("Signing secret");
  await reader.click("Rotate the secret");
  await reader.waitForText("A rotation is in progress");
  await sendTest();
  await reader.click("Signature check");
  await reader.click("Endpoints");
  await reader.waitForText("The signing secret.");
  receiver.learn(await readSecret(/whsec_\S+/));
  await reader.click("Signing secret");
  await reader.click("Finish the rotation");
  await reader.click("End the old secret");
  await reader.waitForText("Sign with both secrets for");
  await sendTest();

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
    const response = await fetch(`${api}/webhooks`, {
      headers: { authorization: `Bearer ${each}` },
    });
    expect(response.status).toBe(200);
  }
}, 180_000);

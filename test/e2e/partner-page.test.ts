import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
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
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    verified,
    learn: (text: string) => void (secret = text),
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

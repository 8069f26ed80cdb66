import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { Envelope } from "../../../src/domain/envelope.ts";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../../support/daemon.ts";

const ROUNDS = Number(process.env["DESKBELL_REREADING_ROUNDS"] ?? 100);
const EDITOR = fileURLToPath(new URL("../../support/price-editor.ts", import.meta.url));

type Services = { data: { id: string; priceCents: number; version: number }[] };

test(`a GET sent while handling a webhook returns at least the version in the event (${ROUNDS} times)`, async () => {
  const { dataDir, deskbell } = await createSeededSalon();
  const url = await waitForUrl(spawnDaemon(dataDir));
  const flags = [
    "--limit-minute",
    "1000000",
    "--limit-hour",
    "1000000",
    "--scope",
    "services.read",
  ];
  const key = await deskbell("keys", "create", "--name", "site", ...flags);
  const stale: string[] = [];

  async function handleWebhook(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = await request.toArray();
    const { type, data } = JSON.parse(Buffer.concat(chunks).toString()) as Envelope;
    const sent = data.object as { priceCents: number; version: number };
    const answer = await fetch(`${url}/v1/businesses/salon-aurora/services`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const { data: services } = (await answer.json()) as Services;
    const now = services.find(({ id }) => id === data.resource.id);
    if (!now || now.version < sent.version)
      stale.push(`${type} ${sent.version}, read ${now?.version}`);
    response.end();
    partner.emit("seen");
  }
  const partner = createServer((request, response) => {
    void handleWebhook(request, response);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void partner.close());
  await once(partner, "listening");
  const hook = `http://127.0.0.1:${(partner.address() as AddressInfo).port}/`;
  await deskbell(
    "webhooks",
    "create",
    "--name",
    "site",
    "--url",
    hook,
    "--event",
    "service.updated",
    "--allow-private",
  );

  const editor = spawn(process.execPath, [EDITOR, dataDir], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void editor.kill("SIGKILL"));
  const answers = createInterface({ input: editor.stdout })[Symbol.asyncIterator]();
  for (let round = 1; round <= ROUNDS; round++) {
    const seen = once(partner, "seen", { signal: AbortSignal.timeout(10_000) });
    editor.stdin.write(`${5000 + round}\n`);
    expect((await answers.next()).value).toBe("done");
    await seen;
  }
  expect(stale).toEqual([]);
}, 300_000);

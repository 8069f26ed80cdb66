import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import type { Envelope } from "../../../src/domain/events/envelope.ts";
import { breakProgram } from "../../support/broken-program.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { createSeededSalon, spawnDaemonOf, waitForUrl } from "../../support/daemon.ts";
import { PROGRAM } from "../../support/program.ts";
import { chooseScale } from "../../support/scale.ts";
import { patient } from "../../support/patience.ts";

const ROUNDS = chooseScale(20, 1000, 100);
const EDITOR = fileURLToPath(new URL("../../support/price-editor.ts", import.meta.url));

type Services = { data: { id: string; priceCents: number; version: number }[] };

/** Changes prices, and reads each while handling its webhook. Returns the reads that were stale. */
async function listStaleReads(rounds: number, program = PROGRAM): Promise<string[]> {
  const { dataDir, deskbell } = await createSeededSalon();
  const url = await waitForUrl(spawnDaemonOf(program, dataDir));
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
  for (let round = 1; round <= rounds; round++) {
    const seen = once(partner, "seen");
    editor.stdin.write(`${5000 + round}\n`);
    expect((await answers.next()).value).toBe("done");
    await seen;
  }
  return stale;
}

async function runControl(): Promise<{ done: string; figure: string; hasFailed: boolean }> {
  const rounds = 10;
  const program = breakProgram({
    file: "src/http/handlers/catalog/list-responses.ts",
    find: "response.catalogVersion === key.catalogVersion &&\n  response.businessRevision === key.businessRevision &&\n",
    replace: "",
  });
  const { length } = await listStaleReads(rounds, program);
  return {
    done: `${rounds} prices were read from a cache that a new version does not invalidate.`,
    figure: `${length} were stale.`,
    hasFailed: length > 0,
  };
}

test(
  `a GET sent while handling a webhook returns at least the version in the event (${ROUNDS} times)`,
  async () => {
    expect(await listStaleReads(ROUNDS)).toEqual([]);
    if (!isRecording()) return;
    recordClaim({
      group: "simulate",
      claim: "A partner that reads after a webhook never reads an older version",
      done: `Another process changed a price ${ROUNDS} times, and each price was read over HTTP while its webhook was handled.`,
      figure: "None was stale.",
      control: await runControl(),
      seed: "none",
    });
  },
  patient(300_000),
);

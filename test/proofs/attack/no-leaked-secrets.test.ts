import { createHmac, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { hashApiKey, generateApiKey } from "../../../src/domain/api-key.ts";
import { breakProgram } from "../../support/broken-program.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { createTerminal, runProgram } from "../../support/cli.ts";
import { createSeededSalon, spawnDaemonOf, waitForUrl } from "../../support/daemon.ts";
import { PROGRAM } from "../../support/program.ts";
import { type ReceivedRequest, createReceiver } from "../../support/receiver.ts";
import {
  apiKey,
  filesOf,
  findIn,
  masterKeys,
  type Secret,
  signatures,
  signingSecret,
} from "../../support/secret-search.ts";
import { chooseScale } from "../../support/scale.ts";
import { hasTmux, openTmux } from "../../support/tmux.ts";
import { patient } from "../../support/patience.ts";

// Secrets appear nowhere but in the places that must contain them.

const SERVICES = "/v1/businesses/salon-aurora/services";
const WEBHOOKS = "/v1/businesses/salon-aurora/webhooks";

/** Sends a key in wrong places, as partners do by mistake. */
async function mishandle(url: string, key: string): Promise<string[]> {
  const ask = async (path: string, headers: Record<string, string> = {}, body?: string) =>
    (
      await fetch(url + path, { headers, ...(body !== undefined && { method: "POST", body }) })
    ).text();
  const bearer = { authorization: `Bearer ${key}` };
  return Promise.all([
    ask(SERVICES, { ...bearer, origin: "https://shop.example" }),
    ask(SERVICES, { authorization: `Basic ${btoa(key)}` }),
    ask(SERVICES, {
      "x-api-key": key,
      cookie: `key=${key}`,
      referer: `https://shop.example/?key=${key}`,
    }),
    ask(`/v1/businesses/${key}/services`, bearer),
    ask(`/v1/${key}`, bearer),
    ask(`${SERVICES}/${key}`),
    ask(WEBHOOKS, { ...bearer, "content-type": "application/json" }, "{"),
  ]);
}

/** Creates and uses secrets of all kinds. Returns them, and all that the program has written. */
async function useSecrets(program = PROGRAM) {
  const { dataDir, deskbell } = await createSeededSalon();
  // The test suite runs these commands in its own process, because starting a process for each
  // would take longer than the commands.
  const read = chooseScale(createTerminal({ dataDir }).deskbell, (line) =>
    runProgram([...line.split(" "), "--data-dir", dataDir]),
  );
  const secrets: Secret[] = [];
  const places = new Map<string, Buffer>();
  const keep = (place: string, text: string) => void places.set(place, Buffer.from(text));
  const createSecret = async (...args: string[]): Promise<string> => {
    const text = await deskbell(...args);
    secrets.push(
      text.startsWith("whsec_")
        ? signingSecret(args.join(" "), text)
        : apiKey(args.join(" "), text),
    );
    return text;
  };
  const listed = async (...args: string[]): Promise<{ id: string }[]> =>
    (JSON.parse(await deskbell(...args, "--json")) as { data: { id: string }[] }).data;

  const key = await createSecret("keys", "create", "--name", "site", "--secret");
  const reader = await createSecret(
    "keys",
    "create",
    "--name",
    "reader",
    "--scope",
    "services.read",
  );
  const daemon = spawnDaemonOf(program, dataDir, "--access-log", "--verbose");
  const url = await waitForUrl(daemon);
  const good = await createReceiver();
  const bad = await createReceiver([{ status: 500, echo: true }, { hangUp: true }]);
  for (const { port } of [good, bad])
    await createSecret(
      "webhooks",
      "create",
      "--name",
      `at ${port}`,
      "--url",
      `http://127.0.0.1:${port}/`,
      "--event",
      "all",
      "--allow-private",
    );

  const made = await fetch(url + WEBHOOKS, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "idempotency-key": "once",
    },
    body: JSON.stringify({
      name: "Website",
      url: "https://8.8.8.8/",
      events: ["booking.created"],
    }),
  });
  secrets.push(
    signingSecret(
      "made over HTTP",
      ((await made.json()) as { data: { secret: string } }).data.secret,
    ),
  );

  await deskbell("services", "update", "beard-trim", "--price", "77.00");
  await Promise.all([good.waitForRequests(3), bad.waitForRequests(3)]);
  const [{ id: keyId } = { id: "" }] = await listed("keys", "list");
  const endpoints = await listed("webhooks", "list");
  await createSecret("keys", "rotate", keyId);
  for (const { id } of endpoints) await createSecret("webhooks", "rotate-secret", id);
  secrets.push(...masterKeys(dataDir));
  await deskbell("keys", "rotate-master");
  secrets.push(...masterKeys(dataDir));
  await deskbell("services", "update", "beard-trim", "--price", "78.00");
  await good.waitForRequests(6);

  const foreign = generateApiKey("SECRET", randomBytes);
  secrets.push(apiKey("a key of another server", foreign));
  for (const [i, tried] of [key, reader, foreign, `${key.slice(0, -1)}!`].entries())
    keep(`responses to key ${i}`, (await mishandle(url, tried)).join("\n"));

  await deskbell("backup");
  const deliveries = await listed("deliveries", "list");
  expect(deliveries.length).toBeGreaterThan(6);
  for (const words of [
    ["status"],
    ["doctor"],
    ["keys", "list"],
    ["keys", "show", keyId],
    ["webhooks", "list"],
    ...endpoints.map(({ id }) => ["webhooks", "show", id]),
    ["deliveries", "list"],
    ...deliveries.slice(0, 6).map(({ id }) => ["deliveries", "show", id]),
    ["events", "list"],
  ])
    for (const how of [[], ["--json"]]) {
      const { stdout, stderr } = await read([...words, ...how, "--verbose"].join(" "));
      expect(stdout).not.toBe("");
      keep([...words, ...how].join(" "), stdout + stderr);
    }

  if (hasTmux) {
    const terminal = openTmux(160, 50);
    await terminal.start("tui", "--data-dir", dataDir);
    keep("the list", await terminal.waitForText(/● live/));
    terminal.press("Enter");
    keep(
      "a delivery",
      await terminal.waitForText(/dlv_\w+[^]*X-Service|dlv_\w+[^]*catalog\.changed/),
    );
    terminal.press("Escape", "q");
    // The terminal must close its connection before the daemon is killed. If it closed the last
    // connection, SQLite would delete the write-ahead log that is searched below.
    await terminal.waitForText(/exit=0/);
  }

  secrets.push(...[...good.requests, ...bad.requests].flatMap(signatures));
  daemon.child.kill("SIGKILL");
  await daemon.waitForExit();
  keep("the log", daemon.output());
  for (const [path, bytes] of filesOf(dataDir)) places.set(path, bytes);
  return { key, secrets, places };
}

async function runControl(): Promise<{ done: string; figure: string; hasFailed: boolean }> {
  const program = breakProgram({
    file: "src/domain/redact-secrets.ts",
    find: "  SECRET.test(text)\n",
    replace: "  false\n",
  });
  const { places, secrets } = await useSecrets(program);
  const found = findIn(places, secrets);
  return {
    done: "The same search was made with a daemon that does not redact secrets.",
    figure: `${found.length} were found, the first one here: ${found[0]}.`,
    hasFailed: found.length > 0,
  };
}

test(
  "no key, signing secret, master key or signature appears in logs, responses, output, screens or files",
  { timeout: patient(120_000) },
  async () => {
    const { key, secrets, places } = await useSecrets();
    expect(findIn(places, secrets)).toEqual([]);

    // These checks make sure that the search covered the right places.
    const names = [...places.keys()].join(" ");
    expect(names).toMatch(/\/deskbell\.db /);
    expect(names).toMatch(/-wal/);
    expect(names).toMatch(/backups\//);
    expect(places.get("the log")?.toString()).toMatch(
      /"path":"\/v1\/businesses\/deskbell_sk_…\/services"/,
    );
    const hashed = findIn(places, [{ description: "a hash", encodings: [hashApiKey(key)] }]);
    expect(hashed.length).toBeGreaterThanOrEqual(2);
    expect(secrets.length).toBeGreaterThan(30);
    if (!isRecording()) return;
    recordClaim({
      group: "attack",
      claim: "Secrets appear only where they must",
      done: `${secrets.length} API keys, signing secrets, master keys and signatures were searched in every encoding in ${places.size} places: the log, responses, output of the commands, screens, the database, its WAL and backups.`,
      figure: "None was found where it must not appear.",
      control: await runControl(),
      seed: "none",
    });
  },
);

test("the search finds a secret in every encoding", () => {
  const secret = "whsec_".concat(randomBytes(36).toString("base64"));
  const raw = Buffer.from(secret.slice(6), "base64");
  const mac = createHmac("sha256", secret).update("1.x").digest();
  const found = (text: string | Buffer, ...secrets: Secret[]) =>
    findIn(new Map([["here", Buffer.from(text)]]), secrets).length;
  const signed = signatures({
    headers: {
      "x-service-signature": `t=1,v1=${mac.toString("hex")}`,
      "webhook-signature": `v1,${mac.toString("base64")}`,
    },
  } as unknown as ReceivedRequest);
  for (const text of [
    secret,
    raw,
    raw.toString("hex"),
    btoa(`say "${secret}"`),
    btoa(`so: ${secret}`),
    btoa(secret),
  ])
    expect(found(text, signingSecret("it", secret))).toBe(1);
  expect(found("nothing", signingSecret("it", secret))).toBe(0);
  expect(found(`sent ${mac.toString("base64")}`, ...signed)).toBe(2);
});

import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { expect, onTestFinished, test, vi } from "vitest";
import {
  createTempFolder,
  createTerminal,
  startProgram,
  type StartedProgram,
} from "../support/cli.ts";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../support/daemon.ts";
import { createReceiver, type TestReceiver } from "../support/receiver.ts";

type Salon = Awaited<ReturnType<typeof createSeededSalon>> & { env: NodeJS.ProcessEnv };

/** Seeds the salon, creates a key of a partner and starts the daemon. */
async function startSalon(): Promise<Salon & { daemon: StartedProgram; url: string }> {
  const salon = await createSeededSalon();
  const key = await salon.deskbell("keys", "create", "--name", "site", "--scope", "webhooks.read");
  const daemon = spawnDaemon(salon.dataDir);
  const url = await waitForUrl(daemon);
  return { ...salon, daemon, url, env: { DESKBELL_API: url, DESKBELL_API_KEY: key } };
}

const listen = ({ env }: Salon, to: string, ...more: string[]): StartedProgram =>
  startProgram(["webhooks", "listen", "--business", "salon-aurora", "--forward-to", to, ...more], {
    env,
  });

const receivedTypes = ({ requests }: TestReceiver) =>
  requests.map(({ headers }) => headers["x-service-event"]);

test("webhooks listen forwards new events as webhooks, signed with the printed secret", async () => {
  const salon = await startSalon();
  const site = await createReceiver();
  const listener = listen(salon, site.url);
  const [, secret = ""] = await listener.waitForOutput(/^signing secret {2}(whsec_\S+)$/m);
  await listener.waitForOutput(/forwarding/);
  await salon.deskbell("services", "update", "beard-trim", "--price", "77.00");
  await site.waitForRequests(3);
  expect(receivedTypes(site)).toEqual([
    "service.updated",
    "service_price.updated",
    "catalog.changed",
  ]);
  const bodies = await salon.deskbell("events", "list", "--json");
  for (const { headers, body } of site.requests) {
    const given = headers as Record<string, string>;
    Stripe.webhooks.constructEvent(body, given["x-service-signature"] ?? "", secret);
    new Webhook(secret).verify(body, given);
    expect(given).toMatchObject({
      "x-service-attempt": "1",
      "x-service-delivery": expect.stringMatching(/^dlv_/),
      "x-service-sequence": expect.stringMatching(/^\d+$/),
    });
    expect(bodies).toContain((JSON.parse(body.toString()) as { id: string }).id);
  }
  listener.child.kill("SIGINT");
  const { code, stdout, stderr } = await listener.waitForExit();
  expect(code).toBe(0);
  expect(stdout).toMatch(/^200 {2}service_price.updated {2}evt_\S+ {2}\d+ ms$/m);
  expect(stderr).toMatch(/3 accepted, 0 failed\. To continue from here: --after \S+\n$/);
});

test("webhooks listen --after resumes at a cursor, and --after oldest starts with the oldest event", async () => {
  const salon = await startSalon();
  const site = await createReceiver();
  const all = listen(salon, site.url, "--after", "oldest", "--json");
  await all.waitForOutput(/"eventType":"catalog.changed","statusCode":200,"error":null,/);
  all.child.kill("SIGINT");
  const lines = (await all.waitForExit()).stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(lines[0]).toEqual({ secret: expect.stringMatching(/^whsec_/) });
  const last = lines.at(-1) as { accepted: number; cursor: string };
  expect(last).toEqual({ accepted: site.requests.length, failed: 0, cursor: expect.any(String) });
  expect(last.accepted).toBeGreaterThan(1);

  await salon.deskbell("services", "update", "beard-trim", "--price", "78.00");
  const rest = listen(salon, site.url, "--after", last.cursor);
  await site.waitForRequests(last.accepted + 3);
  expect(receivedTypes(site).slice(last.accepted)).toEqual([
    "service.updated",
    "service_price.updated",
    "catalog.changed",
  ]);
  rest.child.kill("SIGINT");
  expect(await rest.waitForExit()).toMatchObject({ code: 0 });
});

test("webhooks listen --event forwards only the named event types, even types that `all` leaves out", async () => {
  const salon = await startSalon();
  const site = await createReceiver();
  const keyFile = join(createTempFolder(), "key");
  await salon.deskbell("keys", "create", "--name", "all", "--secret", "--out", keyFile);
  const listener = listen(salon, site.url, "--event", "booking.cancelled", "--key-file", keyFile);
  await listener.waitForOutput(/forwarding/);
  for (const type of ["booking.created", "service.created", "booking.cancelled"])
    await salon.deskbell("events", "trigger", type);
  await site.waitForRequests(1);
  expect(receivedTypes(site)).toEqual(["booking.cancelled"]);
  listener.child.kill("SIGINT");
  expect(await listener.waitForExit()).toMatchObject({ code: 0 });
  const refused = listen(salon, site.url, "--event", "booking.canceled");
  expect(await refused.waitForExit()).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /knows no event 'booking\.canceled'.*\nfix: check --after .* and --event /s,
    ),
  });
});

test("webhooks listen reconnects after a restart of the daemon and misses no event", async () => {
  const salon = await startSalon();
  const site = await createReceiver();
  const listener = listen(salon, site.url);
  await listener.waitForOutput(/forwarding/);
  await salon.deskbell("services", "update", "beard-trim", "--price", "77.00");
  await site.waitForRequests(3);
  salon.daemon.child.kill("SIGKILL");
  await listener.waitForOutput(/connection (?:closed|refused); retrying in 0.5 s/);
  await salon.deskbell("services", "update", "beard-trim", "--price", "78.00");
  await waitForUrl(spawnDaemon(salon.dataDir, "--port", new URL(salon.url).port));
  await site.waitForRequests(6);
  await listener.waitForOutput(/: reachable again\n/);
  expect(
    new Set(site.requests.map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id))
      .size,
  ).toBe(6);
});

test("webhooks listen reports a failed forward, does not repeat it, and exits with 6", async () => {
  const salon = await startSalon();
  const site = await createReceiver([{ status: 500 }, { hangUp: true }, {}]);
  const listener = listen(salon, site.url);
  await listener.waitForOutput(/forwarding/);
  await salon.deskbell("services", "update", "beard-trim", "--price", "77.00");
  await listener.waitForOutput(/catalog.changed/);
  listener.child.kill("SIGTERM");
  expect(await listener.waitForExit()).toMatchObject({
    code: 6,
    stdout: expect.stringMatching(
      /\n500 {2}service.updated .*\nrefused {2}service_price.updated .*\n200 {2}catalog/,
    ),
    stderr: expect.stringContaining("1 accepted, 2 failed."),
  });
  expect(site.requests).toHaveLength(3);
});

test("webhooks listen ends on an error that a retry cannot fix", async () => {
  const salon = await startSalon();
  const cases: [string[], number, RegExp][] = [
    [["--after", "zz.0000000000"], 2, /not issued by this feed[^]*\nfix: check --after/],
    [["--business", "elsewhere"], 4, /business[^]*\nfix: use a key of this business/],
  ];
  for (const [more, code, message] of cases)
    expect(await listen(salon, "http://127.0.0.1:9/", ...more).waitForExit()).toMatchObject({
      code,
      stderr: expect.stringMatching(message),
    });
});

test.each([
  {
    what: "an invalid URL",
    more: ["--forward-to", "localhost:3000"],
    code: 2,
    message: /Invalid --forward-to/,
  },
  { what: "an invalid API URL", more: ["--api", "ftp://x"], code: 2, message: /Invalid --api/ },
  {
    what: "an empty secret file",
    more: ["--secret-file", "EMPTY"],
    code: 7,
    message: /contains no signing secret/,
  },
  {
    what: "an empty key file",
    more: ["--key-file", "EMPTY"],
    code: 2,
    message: /The API key is missing.\nfix: add --key-file/,
  },
  {
    what: "no key at all",
    more: [],
    code: 2,
    message: /The API key is missing.\nfix: add --key-file FILE/,
  },
  { what: "no business", more: ["--business", ""], code: 2, message: /Missing --business/ },
])("listen with $what exits with $code before a request", async ({ what, more, code, message }) => {
  vi.stubEnv("DESKBELL_API_KEY", what === "no key at all" ? "" : "deskbell_rk_x");
  onTestFinished(() => void vi.unstubAllEnvs());
  const empty = join(createTempFolder(), "empty");
  writeFileSync(empty, "");
  const filled = more.map((word) => (word === "EMPTY" ? empty : `'${word}'`));
  const line = `webhooks listen --business b --forward-to http://127.0.0.1:9/ ${filled.join(" ")}`;
  expect(await createTerminal().deskbell(line)).toMatchObject({
    code,
    stdout: "",
    stderr: expect.stringMatching(message),
  });
});

test("webhooks listen with a cursor from before a restore exits with 5 and a fix", async () => {
  const salon = await startSalon();
  const { path } = (
    JSON.parse(await salon.deskbell("backup", "--json")) as { data: { path: string } }
  ).data;
  await salon.deskbell("services", "update", "beard-trim", "--price", "77.00");
  const listener = listen(salon, "http://127.0.0.1:9/");
  await listener.waitForOutput(/forwarding/);
  listener.child.kill("SIGINT");
  const cursor = /--after (\S+)/.exec((await listener.waitForExit()).stderr)?.[1] ?? "";
  salon.daemon.child.kill("SIGTERM");
  await salon.daemon.waitForExit();
  await salon.deskbell("restore", path, "--yes");
  await waitForUrl(spawnDaemon(salon.dataDir, "--port", new URL(salon.url).port));
  expect(await listen(salon, "http://127.0.0.1:9/", "--after", cursor).waitForExit()).toMatchObject(
    {
      code: 5,
      stderr: expect.stringMatching(
        /^error: The events after this cursor are no longer available: request 'after=latest', read every list again, then continue with the cursor of that response\.\nfix: fetch all lists over the API again, then run this command without --after \(exit 5\)\n$/,
      ),
    },
  );
});

test("webhooks listen escapes error details of another server, and repeats its requests", async () => {
  const otherServer = createServer((_, response) =>
    response.writeHead(503).end('{"detail":"\\u001b[2J gone"}'),
  );
  await new Promise<void>((resolve) => otherServer.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void otherServer.close());
  const { port } = otherServer.address() as { port: number };
  const folder = (await createSeededSalon()).dataDir;
  writeFileSync(join(folder, "key"), "deskbell_rk_x\n");
  const flags = ["--api", `http://127.0.0.1:${port}/`, "--key-file", join(folder, "key")];
  const listener = startProgram([
    "webhooks",
    "listen",
    "--business",
    "b",
    "--forward-to",
    "http://127.0.0.1:9/",
    ...flags,
  ]);
  await listener.waitForOutput(/retrying in 1 s/);
  expect(listener.output()).toContain("␛[2J gone");
  expect(listener.output()).not.toContain("\u001b");
  listener.child.kill("SIGINT");
  expect(await listener.waitForExit()).toMatchObject({ code: 0 });
});

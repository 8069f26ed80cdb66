import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { Stripe } from "stripe";
import { expect, onTestFinished, test } from "vitest";
import { runProgram, startProgram, type StartedProgram } from "../support/cli.ts";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../support/daemon.ts";
import { createReceiver, type TestReceiver } from "../support/receiver.ts";

type Box = Awaited<ReturnType<typeof createSeededSalon>> & { env: NodeJS.ProcessEnv };

/** The salon with a partner's key, and its daemon. */
async function openBox(): Promise<Box & { daemon: StartedProgram; url: string }> {
  const box = await createSeededSalon();
  const key = await box.deskbell("keys", "create", "--name", "site", "--scope", "webhooks.read");
  const daemon = spawnDaemon(box.dataDir);
  const url = await waitForUrl(daemon);
  return { ...box, daemon, url, env: { DESKBELL_API: url, DESKBELL_API_KEY: key } };
}

const listen = ({ env }: Box, to: string, ...more: string[]): StartedProgram =>
  startProgram(["webhooks", "listen", "--business", "salon-aurora", "--forward-to", to, ...more], {
    env,
  });

const typesAt = ({ requests }: TestReceiver) =>
  requests.map(({ headers }) => headers["x-service-event"]);

test("what happens from now on is forwarded like a webhook, signed with the secret that was printed", async () => {
  const box = await openBox();
  const site = await createReceiver();
  const listener = listen(box, site.url);
  const [, secret = ""] = await listener.waitForOutput(/^signing secret {2}(whsec_\S+)$/m);
  await listener.waitForOutput(/forwarding/);
  await box.deskbell("services", "update", "cut", "--price", "77.00");
  await site.waitForRequests(3);
  expect(typesAt(site)).toEqual(["service.updated", "service_price.updated", "catalog.changed"]);
  const bodies = await box.deskbell("events", "list", "--json");
  for (const { headers, body } of site.requests) {
    const given = headers as Record<string, string>;
    Stripe.webhooks.constructEvent(body, given["x-service-signature"] ?? "", secret);
    new Webhook(secret).verify(body, given);
    expect(given).toMatchObject({
      "x-service-attempt": "1",
      "x-service-delivery": expect.stringMatching(/^dlv_/),
    });
    expect(bodies).toContain((JSON.parse(body.toString()) as { id: string }).id);
  }
  listener.child.kill("SIGINT");
  const { code, stdout, stderr } = await listener.waitForExit();
  expect(code).toBe(0);
  expect(stdout).toMatch(/^200 {2}service_price.updated {2}evt_\S+ {2}\d+ ms$/m);
  expect(stderr).toMatch(/3 accepted, 0 failed\. To continue from here: --after \S+\n$/);
});

test("it goes on where it ended, and with 'oldest' it begins with all that is kept", async () => {
  const box = await openBox();
  const site = await createReceiver();
  const all = listen(box, site.url, "--after", "oldest", "--json");
  await all.waitForOutput(/"eventType":"catalog.changed","statusCode":200,"error":null,/);
  all.child.kill("SIGINT");
  const lines = (await all.waitForExit()).stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
  expect(lines[0]).toEqual({ secret: expect.stringMatching(/^whsec_/) });
  const last = lines.at(-1) as { taken: number; cursor: string };
  expect(last).toEqual({ taken: site.requests.length, failed: 0, cursor: expect.any(String) });
  expect(last.taken).toBeGreaterThan(1);

  await box.deskbell("services", "update", "cut", "--price", "78.00");
  const rest = listen(box, site.url, "--after", last.cursor);
  await site.waitForRequests(last.taken + 3);
  expect(typesAt(site).slice(last.taken)).toEqual([
    "service.updated",
    "service_price.updated",
    "catalog.changed",
  ]);
  rest.child.kill("SIGINT");
  expect(await rest.waitForExit()).toMatchObject({ code: 0 });
});

test("a daemon that is killed and started again is found again, and nothing is missed meanwhile", async () => {
  const box = await openBox();
  const site = await createReceiver();
  const listener = listen(box, site.url);
  await listener.waitForOutput(/forwarding/);
  await box.deskbell("services", "update", "cut", "--price", "77.00");
  await site.waitForRequests(3);
  box.daemon.child.kill("SIGKILL");
  await listener.waitForOutput(/unreachable \(\w+\); retrying in 0.5 s/);
  await box.deskbell("services", "update", "cut", "--price", "78.00");
  await waitForUrl(spawnDaemon(box.dataDir, "--port", new URL(box.url).port));
  await site.waitForRequests(6);
  await listener.waitForOutput(/: reachable again\n/);
  expect(
    new Set(site.requests.map(({ body }) => (JSON.parse(body.toString()) as { id: string }).id))
      .size,
  ).toBe(6);
});

test("what the partner's own side does not take is said, not sent again, and the exit is 6", async () => {
  const box = await openBox();
  const site = await createReceiver([{ status: 500 }, { hangUp: true }, {}]);
  const listener = listen(box, site.url);
  await listener.waitForOutput(/forwarding/);
  await box.deskbell("services", "update", "cut", "--price", "77.00");
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

test("what asking again would not mend ends it with words", async () => {
  const box = await openBox();
  const cases: [string[], number, RegExp][] = [
    [["--after", "zz.0000000000"], 2, /not issued by this feed[^]*\nfix: check --after/],
    [["--business", "elsewhere"], 4, /business[^]*\nfix: use a key of this business/],
  ];
  for (const [more, code, says] of cases)
    expect(await listen(box, "http://127.0.0.1:9/", ...more).waitForExit()).toMatchObject({
      code,
      stderr: expect.stringMatching(says),
    });
});

test.each([
  {
    what: "a URL that is none",
    more: ["--forward-to", "localhost:3000"],
    code: 2,
    says: /Invalid --forward-to/,
  },
  { what: "an API that is none", more: ["--api", "ftp://x"], code: 2, says: /Invalid --api/ },
  {
    what: "a secret file without one",
    more: ["--secret-file", "/dev/null"],
    code: 7,
    says: /contains no signing secret/,
  },
  {
    what: "a key file without one",
    more: ["--key-file", "/dev/null"],
    code: 2,
    says: /The API key is missing.\nfix: add --key-file/,
  },
  {
    what: "no key at all",
    more: [],
    code: 2,
    says: /The API key is missing.\nfix: add --key-file FILE/,
  },
  { what: "no business", more: ["--business", ""], code: 2, says: /Missing --business/ },
])("$what ends with $code before anything is asked", async ({ what, more, code, says }) => {
  const flags = ["webhooks", "listen", "--business", "b", "--forward-to", "http://127.0.0.1:9/"];
  const env = { DESKBELL_API_KEY: what === "no key at all" ? "" : "deskbell_rk_x" };
  expect(await runProgram([...flags, ...more], { env })).toMatchObject({
    code,
    stdout: "",
    stderr: expect.stringMatching(says),
  });
});

test("after a restore the cursor from before it is refused with 5 and what to do", async () => {
  const box = await openBox();
  const { path } = (
    JSON.parse(await box.deskbell("backup", "--json")) as { data: { path: string } }
  ).data;
  await box.deskbell("services", "update", "cut", "--price", "77.00");
  const listener = listen(box, "http://127.0.0.1:9/");
  await listener.waitForOutput(/forwarding/);
  listener.child.kill("SIGINT");
  const cursor = /--after (\S+)/.exec((await listener.waitForExit()).stderr)?.[1] ?? "";
  box.daemon.child.kill("SIGTERM");
  await box.daemon.waitForExit();
  await box.deskbell("restore", path, "--yes");
  await waitForUrl(spawnDaemon(box.dataDir, "--port", new URL(box.url).port));
  expect(await listen(box, "http://127.0.0.1:9/", "--after", cursor).waitForExit()).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(
      /^[^]*error: .*cursor.*\nfix: fetch all lists over the API again/,
    ),
  });
});

test("an address that is not deskbell's is asked again, and what it says reaches no terminal as it is", async () => {
  const stranger = createServer((_, response) =>
    response.writeHead(503).end('{"detail":"\\u001b[2J gone"}'),
  );
  await new Promise<void>((resolve) => stranger.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void stranger.close());
  const { port } = stranger.address() as { port: number };
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

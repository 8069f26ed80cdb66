import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  rmdirSync,
  writeFileSync,
} from "node:fs";
import { type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { findFreePort } from "../../src/cli/running/port.ts";
import { createEnvelope } from "../../src/domain/events/envelope.ts";
import {
  deliveryHeaders,
  generateSecret,
  signingKey,
} from "../../src/domain/webhooks/webhook-post.ts";
import { createTempFolder } from "../support/cli.ts";
import { installClient } from "../support/website.ts";

const guide = readFileSync("data/partner-guide.md", "utf8");
const secret = generateSecret((bytes) => Buffer.alloc(bytes, 7));
const other = generateSecret((bytes) => Buffer.alloc(bytes, 8));

/**
 * The languages of the guide, each with its code fence, file name, and commands that detect and run
 * it.
 */
const LANGUAGES = [
  {
    name: "TypeScript",
    fence: "ts",
    file: "receiver.ts",
    probe: [process.execPath, "--version"],
    run: () => [process.execPath, "receiver.ts"],
  },
  {
    name: "Node",
    fence: "js",
    file: "receiver.mjs",
    probe: [process.execPath, "--version"],
    run: () => [process.execPath, "receiver.mjs"],
  },
  // The command downloads these versions of Node.
  ...(process.env["PROOFS"] === "full" ? [20, 22] : []).map((version) => ({
    name: `Node ${version}`,
    fence: "js",
    file: "receiver.mjs",
    probe: ["npx", "-y", `node@${version}`, "--version"],
    run: () => ["npx", "-y", `node@${version}`, "receiver.mjs"],
  })),
  {
    name: "Python",
    fence: "python",
    file: "receiver.py",
    probe: ["python3", "--version"],
    run: () => ["python3", "receiver.py"],
  },
  {
    name: "PHP",
    fence: "php",
    file: "receiver.php",
    probe: ["php", "--version"],
    run: (port: number) => [
      "php",
      "-d",
      "display_errors=stderr",
      "-S",
      `127.0.0.1:${port}`,
      "receiver.php",
    ],
  },
  {
    name: "Go",
    fence: "go",
    file: "receiver.go",
    probe: ["go", "version"],
    run: () => ["go", "run", "receiver.go"],
  },
  {
    name: "Ruby",
    fence: "ruby",
    file: "receiver.rb",
    probe: ["ruby", "-e", "require 'webrick'"],
    run: () => ["ruby", "receiver.rb"],
  },
];

/**
 * Returns the code of the guide's receiver in a language. The code contains the command that runs
 * it, such as `node receiver.mjs`.
 */
const snippet = (fence: string): string =>
  [...guide.matchAll(new RegExp(`^\`\`\`${fence}\\n([^]*?)^\`\`\`$`, "gm"))]
    .map(([, code = ""]) => code)
    .find((code) => code.includes(" receiver.")) ?? "";

type Delivery = { body: Buffer; headers: Record<string, string> };

/** Returns a delivery as the delivery worker sends it. */
function delivery({
  at = Date.now(),
  keys = [signingKey(secret)],
  id = "evt_1",
  name = "Café — ✂",
}): Delivery {
  const business = { id: "biz_1", slug: "shop", name, timezone: "UTC" };
  const resource = { type: "service", id: "svc_1", ids: ["svc_1"] };
  const body = Buffer.from(
    JSON.stringify(
      createEnvelope(
        { type: "service.updated", resource, changed: ["price"], object: {} },
        id,
        at,
        business,
      ),
    ),
  );
  const cover = {
    deliveryId: "dlv_1",
    eventId: id,
    eventType: "service.updated",
    attempt: 1,
    sequence: 1,
  };
  return { body, headers: deliveryHeaders(cover, "deskbell/test", keys, at, body) };
}

test.concurrent.for(LANGUAGES)(
  "the guide's example receiver accepts signed deliveries, stores each event once, and survives attacks: $name",
  { timeout: 90_000 },
  async ({ name, fence, file, probe, run }, { skip, expect, onTestFinished }) => {
    const [command = "", ...args] = probe;
    if (spawnSync(command, args).status !== 0)
      skip(`needs ${command}${fence === "ruby" ? " with the gem webrick" : ""}`);
    const folder = mkdtempSync(join(tmpdir(), "deskbell-guide-"));
    writeFileSync(join(folder, file), snippet(fence));
    installClient(folder);
    const log = join(folder, "events.jsonl");
    // evt_0 was stored before the start; a power cut left half of evt_1.
    writeFileSync(log, '\n{"id":"evt_0"}\n\n{"id":"evt_1","ty');
    const port = await findFreePort(0);
    const [program = "", ...rest] = run(port);
    const child = spawn(program, rest, {
      cwd: folder,
      detached: true,
      // `go run` is killed before it can delete its build files, so the files go to this folder,
      // which the test deletes.
      env: { ...process.env, DESKBELL_SECRET: secret, PORT: String(port), GOTMPDIR: folder },
    });
    onTestFinished(async () => {
      // The whole process group is killed, because `go run` starts a child process.
      process.kill(-(child.pid ?? 0), "SIGKILL");
      await once(child, "close");
      rmSync(folder, { recursive: true });
    });
    let printed = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => void (printed += chunk));
    while (!(await isListening(port))) {
      if (child.exitCode !== null) throw new Error(`The receiver exited:\n${printed}`);
      await delay(50);
    }

    const post = ({ body, headers }: Delivery) => send(port, body, headers);
    // A complete event is one line.
    const storedIds = (): (string | undefined)[] =>
      [...readFileSync(log, "utf8").matchAll(/^\{"id":"(\w+)".*\}$/gm)].map(([, id]) => id);

    // Slow clients stay connected while the other requests are sent.
    const slowClients = Array.from({ length: 20 }, () => dripBody(port));
    await Promise.all(Array.from({ length: 20 }, (_, number) => abortBody(port, number % 2 === 0)));

    const valid = delivery({});
    expect(await post(valid)).toBe(204);
    expect(storedIds()).toEqual(["evt_0", "evt_1"]);
    // The timestamp is 10 seconds below the limit, because the machine may be slow and the
    // timestamp has no milliseconds.
    const late = Date.now() - 290_000;
    const rotated = [signingKey(other), signingKey(secret)];
    expect(await post(delivery({ id: "evt_2", at: late, keys: rotated }))).toBe(204);
    // A duplicate is accepted and ignored.
    expect(await post(delivery({ at: late }))).toBe(204);
    expect(await post(delivery({ id: "evt_0" }))).toBe(204);

    const { body, headers } = valid;
    const signed = (signature: string) => ({
      body,
      headers: { ...headers, "X-Service-Signature": signature },
    });
    const { "X-Service-Signature": signature = "", ...unsigned } = headers;
    expect(await post({ body: Buffer.concat([body, Buffer.from(" ")]), headers })).toBe(401);
    expect(await post(delivery({ keys: [signingKey(other)] }))).toBe(401);
    expect(await post(delivery({ at: Date.now() - 310_000 }))).toBe(401);
    expect(await post(delivery({ at: Date.now() + 310_000 }))).toBe(401);
    expect(await post({ body, headers: unsigned })).toBe(401);
    for (const broken of [
      "",
      "t=",
      "v1=",
      "t=x,v1=y",
      signature.replace("v1=", "v0="),
      `${signature}0`,
      signature.slice(0, -1),
      "t=1,v1=é".repeat(9),
    ])
      expect([broken, await post(signed(broken))]).toEqual([broken, 401]);

    for (const framing of ["Content-Length: -1", "Content-Length: x", "Transfer-Encoding: x"])
      expect([framing, await sendRaw(port, framing, "{}")]).not.toEqual([framing, 204]);
    for (const chunk of ["-5\r\n", "x\r\n", "\r\n"])
      expect(await sendRaw(port, "Transfer-Encoding: chunked", chunk)).not.toBe(204);
    const huge = Buffer.alloc(10_000_000);
    const chunks = [`${huge.length.toString(16)}\r\n`, huge, "\r\n0\r\n\r\n"];
    // A receiver may reset the connection instead of reading the rest. The response is then lost,
    // and the status is 0.
    expect([413, 0]).toContain(await sendRaw(port, `Content-Length: ${huge.length}`, huge));
    expect([413, 0]).toContain(await sendRaw(port, "Transfer-Encoding: chunked", ...chunks));
    const third = delivery({ id: "evt_3" });
    expect(await send(port, Readable.from([third.body]), third.headers)).toBe(204);

    // One event arrives several times at once.
    const fourth = delivery({ id: "evt_4" });
    const copies = await Promise.all(Array.from({ length: 8 }, () => post(fourth)));
    expect(copies).toEqual(copies.map(() => 204));
    expect(storedIds()).toEqual(["evt_0", "evt_1", "evt_2", "evt_3", "evt_4"]);

    // A folder in place of the log prevents the receiver from storing the event, so it must not
    // respond with 2xx.
    const fifth = delivery({ id: "evt_5" });
    renameSync(log, `${log}.kept`);
    mkdirSync(log);
    expect(await post(fifth)).toBe(500);
    rmdirSync(log);
    renameSync(`${log}.kept`, log);
    expect(await post(fifth)).toBe(204);
    expect(readFileSync(log, "utf8").trim().split("\n").at(-1)).toBe(String(fifth.body));

    // The server of `php -S` has no time limit; its clients are closed here.
    if (name === "PHP") for (const { socket } of slowClients) socket.destroy();
    await Promise.all(slowClients.map(({ status }) => status));
    expect(await post(delivery({ id: "evt_6" }))).toBe(204);
    expect(storedIds().slice(-2)).toEqual(["evt_5", "evt_6"]);
    // The output may arrive after the response.
    const accepted = () => printed.match(/service\.updated svc_1/g)?.length;
    await expect.poll(accepted).toBe(6);
  },
);

test("the guide's example receiver for Node uses only JavaScript that Node 20 has", () => {
  const file = join(createTempFolder(), "receiver.mjs");
  writeFileSync(file, snippet("js"));
  const options =
    "--noEmit --ignoreConfig --checkJs --strict false --types node --module nodenext --lib es2023";
  const { stdout } = spawnSync("node_modules/.bin/tsc", [...options.split(" "), file]);
  expect(String(stdout)).toBe("");
});

const isListening = (port: number): Promise<boolean> =>
  send(port, "", {}).then(
    () => true,
    () => false,
  );

/** Sends a request on a new connection and returns the status. A stream is sent in chunks. */
async function send(port: number, body: Buffer | string | Readable, headers: IncomingHttpHeaders) {
  const outgoing = request(`http://127.0.0.1:${port}/hook`, {
    method: "POST",
    headers,
    agent: false,
  });
  if (body instanceof Readable) body.pipe(outgoing);
  else outgoing.end(body);
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}

/** Sends the head of a request. The receiver may reset the connection at any time. */
function openRequest(port: number, framing: string) {
  const socket = connect(port, "127.0.0.1");
  let response = "";
  socket.on("data", (chunk: Buffer) => void (response += chunk)).on("error", () => {});
  // `events.once` would reject after an error.
  const closed = new Promise((resolve) => void socket.once("close", resolve));
  socket.write(`POST /hook HTTP/1.1\r\nHost: partner.example\r\n${framing}\r\n\r\n`);
  /** The status of the response once the connection is closed; 0 if there was none. */
  const status = closed.then(() => Number(/^HTTP\/1\.\d (\d{3})/.exec(response)?.[1] ?? 0));
  return { socket, status };
}

function sendRaw(port: number, framing: string, ...parts: (string | Buffer)[]) {
  const { socket, status } = openRequest(port, `${framing}\r\nConnection: close`);
  for (const part of parts) socket.write(part);
  return status;
}

/** Sends half of a body, then closes or resets the connection. */
async function abortBody(port: number, reset: boolean) {
  const { socket, status } = openRequest(port, "Content-Length: 1000");
  await new Promise((resolve) => void socket.write("half", resolve));
  if (reset) socket.resetAndDestroy();
  else socket.destroy();
  await status;
}

/** Sends a body byte by byte until the receiver closes the connection. */
function dripBody(port: number) {
  const { socket, status } = openRequest(port, "Content-Length: 1000");
  const timer = setInterval(() => socket.write("x"), 100);
  return { socket, status: status.finally(() => clearInterval(timer)) };
}

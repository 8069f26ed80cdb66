import { randomUUID } from "node:crypto";
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import Database from "better-sqlite3";
import { createMask } from "./mask.ts";
import { READING, SCENARIO, splitLine } from "./scenario.ts";

type Json = Record<string, unknown>;
type Recorder = (name: string, text: string) => void;
type Run = (args: readonly string[]) => { status: number | null; stdout: string; stderr: string };

const DAY_MS = 86_400_000;

/**
 * Runs a build in a folder of its own, and writes what it prints, serves and stores to files.
 * Values that differ between two runs are masked. Returns the number of files.
 */
export async function recordOutputs(checkout: string, folder: string): Promise<number> {
  const work = mkdtempSync(join(tmpdir(), "deskbell-build-"));
  const mask = createMask([work, dirname(process.execPath), checkout]);
  let count = 0;
  const record: Recorder = (name, text) => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${mask(text).trimEnd()}\n`);
    count += 1;
  };
  prepareFolder(checkout, work);
  const dataDir = join(work, "data");
  const env = {
    PATH: process.env.PATH,
    HOME: work,
    TZ: "UTC",
    COLUMNS: "80",
    NO_COLOR: "1",
    DESKBELL_DATA_DIR: dataDir,
  };
  const program = join(work, "deskbell");
  const run: Run = (args) =>
    spawnSync(process.execPath, [program, ...args], {
      cwd: work,
      env,
      encoding: "utf8",
      maxBuffer: 50_000_000,
    });
  recordHelp(run, record, []);
  recordScenario(run, record, work);
  recordDatabase(join(dataDir, "deskbell.db"), record);
  const { stdout } = run(
    splitLine("keys create --business salon-aurora --name all --secret --limit-minute 6000 --json"),
  );
  const { secret } = (JSON.parse(stdout) as { data: { secret: string } }).data;
  const server = spawn(process.execPath, [program, "serve", "--port", "0"], { cwd: work, env });
  try {
    const url = await readUrl(server.stdout, server.stderr);
    await recordHttp(url, secret, record);
  } finally {
    server.kill();
    await wait(1000);
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  }
  return count;
}

function prepareFolder(checkout: string, work: string): void {
  // The program prints the name of the file by which it is started, so every build is started as
  // `deskbell`.
  symlinkSync(join(checkout, "bin/deskbell.js"), join(work, "deskbell"));
  copyFileSync(join(checkout, "data/salon.yaml"), join(work, "salon.yaml"));
  writeFileSync(
    join(work, "invalid.yaml"),
    "catalog: 1\nbusiness: { slug: X y }\nservices: [{}]\n",
  );
  writeFileSync(join(work, "servers.txt"), "http://127.0.0.1:9\n");
}

const described = ({ status, stdout, stderr }: ReturnType<Run>): string =>
  `${stdout}\n--- stderr\n${stderr}\n--- exit ${status}`;

/** Records the help of a group, then the help of each command in it. */
function recordHelp(run: Run, record: Recorder, group: readonly string[]): void {
  const result = run([...group, "--help"]);
  record(`help/${group.join(" ") || "all"}.txt`, described(result));
  const commands = result.stdout.slice(result.stdout.search(/^(Commands|Begin):$/m));
  if (commands.length === result.stdout.length || !/^(Commands|Begin):$/m.test(result.stdout))
    return;
  for (const [, name = ""] of commands.matchAll(/^ {2}([a-z][a-z-]*)(?: .*)?$/gm))
    if (name !== "help") recordHelp(run, record, [...group, name]);
}

function recordScenario(run: Run, record: Recorder, work: string): void {
  const last = new Map([
    ["folder", work],
    ["day", wednesday(0)],
    ["nextDay", wednesday(1)],
  ]);
  for (const [at, line] of SCENARIO.entries()) {
    const filled = line.replaceAll(/\{(\w+)\}/g, (_, name: string) => last.get(name) ?? name);
    const number = String(at + 1).padStart(3, "0");
    const name = `commands/${number} ${line.replaceAll(/[^\w ,.-]/g, "_").slice(0, 60)}`;
    if (READING.test(line)) record(`${name}.txt`, described(run(splitLine(filled))));
    const result = run([...splitLine(filled), "--json"]);
    record(`${name}.json`, described(result));
    for (const [id, prefix = ""] of result.stdout.matchAll(/\b([a-z]{3})_[0-9a-z]{20,30}\b/g))
      last.set(prefix, id);
  }
}

/** Returns a date: a Wednesday one to two weeks ahead, plus `after` days. */
function wednesday(after: number): string {
  const day = Math.floor(Date.now() / DAY_MS) + 7;
  // Day 0 of the epoch is a Thursday.
  const next = day + ((6 - (day % 7) + 7) % 7) + after;
  return new Date(next * DAY_MS).toISOString().slice(0, 10);
}

function recordDatabase(path: string, record: Recorder): void {
  const db = new Database(path, { readonly: true });
  const schema = db.prepare(
    "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name",
  );
  for (const row of schema.all() as { name: string; sql: string }[]) {
    record(`database/${row.name}.sql`, row.sql);
    if (!row.sql.startsWith("CREATE TABLE")) continue;
    const rows = db.prepare(`SELECT * FROM "${row.name}"`).all() as Json[];
    const texts = rows.map((values) => JSON.stringify(values, describeValue));
    record(`database/${row.name}.rows`, texts.toSorted().join("\n"));
  }
  db.close();
}

/**
 * Masks values that differ between two runs: blobs and the ends of secrets are random, and numbers
 * above 1e12 are times.
 */
const describeValue = (name: string, value: unknown): unknown => {
  if (name === "last4") return "<last four>";
  if (typeof value === "number" && value > 1e12) return "<time>";
  const isBlob = value !== null && typeof value === "object" && "type" in value;
  return isBlob && value.type === "Buffer" ? "<blob>" : value;
};

async function readUrl(...streams: NodeJS.ReadableStream[]): Promise<string> {
  let text = "";
  for (const stream of streams)
    stream.on("data", (chunk: Buffer) => void (text += chunk.toString()));
  for (let tries = 0; tries < 300; tries += 1) {
    const [url] = /http:\/\/127\.0\.0\.1:\d+/.exec(text) ?? [];
    if (url !== undefined) return url;
    await wait(100);
  }
  throw new Error(`The server did not start:\n${text}`);
}

type Operation = { operationId?: string };
type OpenApi = {
  paths: Record<string, Record<string, Operation>>;
  components: Record<string, Record<string, unknown>>;
};

type Ask = (method: string, path: string, body?: Json) => Promise<{ head: string; text: string }>;

const VARYING = ["date", "request-id", "content-length", "etag", "last-modified"];

/** Records the OpenAPI document part by part, then a response of each route. */
async function recordHttp(url: string, key: string, record: Recorder): Promise<void> {
  const ask: Ask = async (method, path, body) => {
    const response = await fetch(url + path, {
      method,
      redirect: "manual",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        "idempotency-key": randomUUID(),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const headers = [...response.headers]
      .filter(([name]) => !VARYING.includes(name) && !name.startsWith("ratelimit"))
      .map(([name, value]) => `${name}: ${value}`);
    return { head: `${response.status}\n${headers.join("\n")}`, text: await response.text() };
  };
  const document = JSON.parse((await ask("GET", "/openapi.json")).text) as OpenApi;
  for (const [kind, parts] of Object.entries(document.components))
    for (const [name, part] of Object.entries(parts))
      record(`openapi/${kind}/${name}.json`, pretty(part));
  for (const path of ["/docs", "/docs.md", "/metrics", "/healthz", "/readyz", "/", "/none"]) {
    const { head, text } = await ask("GET", path);
    record(`http/GET ${nameOf(path)}`, `${head}\n\n${text}`);
  }
  await recordVisits(ask, record);
  const fill = createFill(async (path) => (await ask("GET", path)).text);
  for (const [path, operations] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(operations)) {
      if (method === "parameters") continue;
      record(`openapi/paths/${method.toUpperCase()} ${nameOf(path)}.json`, pretty(operation));
      if (path === "/openapi.json" || /stream|tail/.test(path)) continue;
      // Requests that write get `none` for each ID, which is the ID of no object, so that they
      // change nothing that later requests read.
      const filled =
        method === "get" ? await fill(path) : path.replace(/\{(?!businessSlug)\w+\}/g, "none");
      const { head, text } = await ask(
        method.toUpperCase(),
        filled.replace("{businessSlug}", "salon-aurora"),
        method === "get" || method === "delete" ? undefined : {},
      );
      record(`http/${method.toUpperCase()} ${nameOf(path)}`, `${head}\n\n${formatBody(text)}`);
    }
}

/**
 * Records the requests of a partner who books, changes and cancels a visit, and subscribes an
 * endpoint.
 */
async function recordVisits(ask: Ask, record: Recorder): Promise<void> {
  const base = "/v1/businesses/salon-aurora";
  const send = async (name: string, method: string, path: string, body?: Json) => {
    const { head, text } = await ask(method, base + path, body);
    record(`http/visits/${name}`, `${head}\n\n${formatBody(text)}`);
    return JSON.parse(text === "" ? "{}" : text) as { data?: Json & { id: string } };
  };
  const services = await send("services", "GET", "/services");
  const [service] = services.data as unknown as [{ id: string }];
  const day = wednesday(0);
  const { data } = await send(
    "free times",
    "GET",
    `/availability?serviceId=${service.id}&from=${day}&to=${day}&includeBookingRequest=true`,
  );
  const [first] = (data?.days ?? []) as { slots: { bookingRequest: Json }[] }[];
  const slots = first?.slots ?? [];
  const request = slots[0]?.bookingRequest;
  const booking = await send("booking", "POST", "/bookings", request);
  await send("booking twice", "POST", "/bookings", request);
  await send("hold", "POST", "/holds", slots.at(-1)?.bookingRequest);
  const path = `/bookings/${booking.data?.id}`;
  await send("booking read", "GET", path);
  await send("booking without its version", "PATCH", path, { customerRef: "web-1" });
  await send("booking cancelled", "POST", `${path}/cancel`, { reason: "ill" });
  const url = "https://1.1.1.1/hook";
  await send("endpoint", "POST", "/webhooks", { name: "own", url, events: ["catalog.changed"] });
  await send("endpoint twice", "POST", "/webhooks", { name: "own", url, events: ["unknown"] });
  await send("changes", "GET", "/changes");
}

const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

function formatBody(text: string): string {
  try {
    return pretty(JSON.parse(text));
  } catch {
    return text;
  }
}

const nameOf = (path: string): string => path.replaceAll("/", "⁄");

/**
 * Returns a function that replaces each parameter of a path with the first ID of the list before
 * it: the parameter of `/services/{id}` becomes the first ID that `/services` lists.
 */
function createFill(get: (path: string) => Promise<string>) {
  return async function fill(path: string): Promise<string> {
    const known = path.replace("{businessSlug}", "salon-aurora");
    const [parameter] = /\{\w+\}/.exec(known) ?? [];
    if (parameter === undefined) return known;
    const list = known.slice(0, known.indexOf(`/${parameter}`));
    let id = "none";
    try {
      const { data } = JSON.parse(await get(list)) as { data?: { id?: string }[] };
      id = data?.[0]?.id ?? "none";
    } catch {
      // A response that is not JSON has no IDs.
    }
    return fill(known.replace(parameter, id));
  };
}

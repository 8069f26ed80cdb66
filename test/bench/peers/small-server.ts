import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { performance } from "node:perf_hooks";
import Database from "better-sqlite3";

// The floor of a catalog GET: a server that does only what each response of deskbell needs, in the
// plainest way. It looks for commits, compares the key, checks for repeated headers, counts the
// request in two sliding windows and a histogram, and writes a request ID and the requests that are
// left. Arguments: the key, the size of the body in bytes, and the headers of a 200 and of a 304 as
// JSON.

const [, , authorization = "", size, ok = "[]", notModified = "[]"] = process.argv;
const body = Buffer.alloc(Number(size), "x");
const db = new Database(":memory:");
const readRevision = db.prepare("PRAGMA data_version").pluck();

/** Headers that differ from response to response. */
const CHANGING = new Set(["request-id", "ratelimit"]);
const withoutChanging = (json: string): string[] => {
  const headers = JSON.parse(json) as string[];
  return headers.filter((_, i) => !CHANGING.has(headers[i - (i % 2)] as string));
};
const okHeaders = withoutChanging(ok);
const notModifiedHeaders = withoutChanging(notModified);
const etag = okHeaders[okHeaders.indexOf("etag") + 1];

const QUOTA = 1_000_000_000;
const WINDOWS = [
  { name: "per-minute", ms: 60_000, used: 0, oldest: 0 },
  { name: "per-hour", ms: 3_600_000, used: 0, oldest: 0 },
];
/** The requests of each second, and the time of the last one in milliseconds. */
const buckets: { second: number; lastAt: number; count: number }[] = [];
const histogram = Array.from({ length: 14 }, () => 0);
const BOUNDS_MS = [0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10_000];

let iteration = -1;
let revision = -1;
let count = 0;

function lookForCommits(): void {
  const current = performance.nodeTiming.uvMetricsInfo.loopCount;
  if (current === iteration) return;
  iteration = current;
  revision = readRevision.get() as number;
}

function hasRepeatedHeader({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  let keys = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
    else if (name.length === 13 && name.toLowerCase() === "authorization") keys += 1;
  }
  return hosts > 1 || keys > 1;
}

/** Counts a request, and returns the header that says how many are left. */
function countRequest(now: number): string {
  const second = Math.floor(now / 1000);
  const last = buckets.at(-1);
  if (last?.second === second) {
    last.lastAt = now;
    last.count += 1;
  } else buckets.push({ second, lastAt: now, count: 1 });
  let header = "";
  for (const window of WINDOWS) {
    let oldest = buckets[window.oldest];
    while (oldest && oldest.lastAt + window.ms <= now) {
      window.used -= oldest.count;
      oldest = buckets[++window.oldest];
    }
    window.used += 1;
    const reset = oldest ? Math.ceil((oldest.lastAt + window.ms - now) / 1000) : 0;
    header += `${header && ", "}"${window.name}";r=${QUOTA - window.used};t=${reset}`;
  }
  return header;
}

const server = createServer((req, res) => {
  const startedAt = performance.now();
  lookForCommits();
  if (hasRepeatedHeader(req) || req.headers.authorization !== authorization || revision < 0) {
    res.writeHead(401).end();
    return;
  }
  const requestId = `req_${(count++).toString(32).padStart(26, "0")}`;
  const isUnchanged = req.headers["if-none-match"] === etag;
  const headers = ["request-id", requestId, "ratelimit", countRequest(startedAt)];
  headers.push(...(isUnchanged ? notModifiedHeaders : okHeaders));
  const took = performance.now() - startedAt;
  const bucket = BOUNDS_MS.findIndex((bound) => took <= bound);
  histogram[bucket] = (histogram[bucket] ?? 0) + 1;
  res.writeHead(isUnchanged ? 304 : 200, headers);
  res.end(isUnchanged ? undefined : body);
});
server.listen(0, "127.0.0.1", () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
);

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Figure, perSecond, race } from "./figure.ts";
import { requireTools, Stage, wrk } from "./processes.ts";

const BIN = join(import.meta.dirname, "../../bin/deskbell.js");
const BARE = join(import.meta.dirname, "peers/bare-server.ts");
const ROUNDS = 5;

/** S1 and S2: the cached catalog GET and its 304, key check, limits and headers included, against bare node:http. */
export async function benchHttp(wanted: (id: string) => boolean): Promise<Figure[]> {
  requireTools("wrk", "taskset");
  await using stage = new Stage();
  const url = await startDeskbell(stage);
  const key = deskbell(
    stage,
    "keys",
    "create",
    "--name",
    "bench",
    "--secret",
    "--limit-minute",
    "1000000000",
    "--limit-hour",
    "1000000000",
  );
  const headers = { Authorization: `Bearer ${key}` };
  const target = `${url}/v1/businesses/bench/services?includeVariants=true`;
  const answer = await fetch(target, { headers });
  const bytes = (await answer.arrayBuffer()).byteLength;
  const etag = answer.headers.get("etag") ?? "";
  const bare = await stage.start([process.execPath, BARE, String(bytes)], /http:\S+/);

  const figures: Figure[] = [];
  const add = async (id: string, what: string, goal: string, ours: () => number, peer: () => number) => {
    if (!wanted(id.toLowerCase())) return;
    const result = await race(
      ROUNDS,
      async () => ours(),
      async () => peer(),
    );
    figures.push({ id, what, goal, ours: perSecond(result.ours), peer: perSecond(result.peer), ratio: result.ratio });
  };
  await add(
    "S1",
    `cached GET, 50 services, ${bytes} bytes`,
    ">= 0.80",
    () => wrk(target, headers),
    () => wrk(bare, headers),
  );
  await add(
    "S2",
    "304",
    ">= 0.85",
    () => wrk(target, { ...headers, "If-None-Match": etag }),
    () => wrk(bare, { "If-None-Match": 'W/"1"', ...headers }),
  );
  return figures;
}

const deskbell = (stage: Stage, ...args: string[]): string =>
  execFileSync(process.execPath, [BIN, "--data-dir", join(stage.dir, "data"), ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();

async function startDeskbell(stage: Stage): Promise<string> {
  const file = join(stage.dir, "catalog.json");
  const services = Array.from({ length: 50 }, (_, i) => ({
    key: `service-${i}`,
    name: `Service number ${i}`,
    description: "Thirty minutes in good hands.",
    durationMin: 30,
    price: "35.00",
  }));
  writeFileSync(
    file,
    JSON.stringify({
      catalog: 1,
      business: { slug: "bench", name: "Bench", timezone: "Europe/Zurich", currency: "CHF" },
      services,
    }),
  );
  deskbell(stage, "catalog", "apply", file);
  const command = [process.execPath, BIN, "--data-dir", join(stage.dir, "data"), "serve", "--port", "0"];
  return stage.start(command, /(http:\/\/127\.0\.0\.1:\d+)/);
}

import { PgBoss } from "pg-boss";
import { createDeliveries, createPost, measureDrain, type StoredDelivery } from "./deliveries.ts";

// Sends deliveries with pg-boss: a job for each, fetched and completed in batches, because pg-boss
// takes a transaction for each fetch and for each completion.

const [sink = "", port = "", serverPid = "", total = "", concurrency = "", warmUps = ""] =
  process.argv.slice(2);
const PER_COMMAND = 1000;
/**
 * Several loops run at the same time, so that one sends its batch while others fetch or complete
 * theirs.
 */
const LOOPS = 4;
const BATCH = 200;

const boss = new PgBoss({
  host: "127.0.0.1",
  port: Number(port),
  user: "bench",
  database: "postgres",
  supervise: false,
  schedule: false,
});
boss.on("error", (error) => console.error(error));
await boss.start();
await boss.createQueue("deliveries", { retryLimit: 12, retryBackoff: true });
const { post, close } = createPost(sink, Number(concurrency));

async function prepare(): Promise<void> {
  const jobs = createDeliveries(Number(total)).map((data) => ({ data }));
  for (let n = 0; n < jobs.length; n += PER_COMMAND)
    await boss.insert("deliveries", jobs.slice(n, n + PER_COMMAND));
}

async function drainInBatches(): Promise<void> {
  for (;;) {
    const jobs = await boss.fetch<StoredDelivery>("deliveries", { batchSize: BATCH });
    if (jobs.length === 0) return;
    await Promise.all(jobs.map(({ id, data }) => post(id, data)));
    await boss.complete(
      "deliveries",
      jobs.map(({ id }) => id),
    );
  }
}

await measureDrain({
  sink,
  total: Number(total),
  warmUps: Number(warmUps),
  serverPid: Number(serverPid),
  prepare,
  drain: () => Promise.all(Array.from({ length: LOOPS }, drainInBatches)),
});
await Promise.all([boss.stop({ graceful: false }), close()]);
process.exit();

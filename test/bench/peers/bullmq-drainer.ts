import { Queue, Worker } from "bullmq";
import { createDeliveries, createPost, measureDrain, type StoredDelivery } from "./deliveries.ts";

// Sends deliveries with BullMQ: a job for each, which is removed when it is done.

const [sink = "", port = "", serverPid = "", total = "", concurrency = "", warmUps = ""] =
  process.argv.slice(2);
const PER_COMMAND = 1000;

const connection = { host: "127.0.0.1", port: Number(port), maxRetriesPerRequest: null };
const queue = new Queue<StoredDelivery>("deliveries", { connection });
const { post, close } = createPost(sink, Number(concurrency));
const worker = new Worker<StoredDelivery>(
  "deliveries",
  ({ id = "", data }) => post(`evt_${id.padStart(26, "0")}`, data),
  { connection, concurrency: Number(concurrency), autorun: false, removeOnComplete: { count: 0 } },
);
worker.on("error", (error) => console.error(error));

async function prepare(): Promise<void> {
  const jobs = createDeliveries(Number(total)).map((data) => ({
    name: "post",
    data,
    opts: { attempts: 12, backoff: { type: "exponential", delay: 1000 } },
  }));
  for (let n = 0; n < jobs.length; n += PER_COMMAND)
    await queue.addBulk(jobs.slice(n, n + PER_COMMAND));
}

let isRunning = false;

async function drain(): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let left = Number(total);
  const onCompleted = () => --left === 0 && resolve();
  worker.on("completed", onCompleted).on("failed", (_job, error) => reject(error));
  if (isRunning) worker.resume();
  else void worker.run();
  isRunning = true;
  await promise;
  worker.off("completed", onCompleted);
  await worker.pause();
}

await measureDrain({
  sink,
  total: Number(total),
  warmUps: Number(warmUps),
  serverPid: Number(serverPid),
  prepare,
  drain,
});
await Promise.all([worker.close(), queue.close(), close()]);
process.exit();

import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { runProgram, startProgram } from "../cli.ts";
import { waitForUrl } from "../daemon.ts";
import { createReceiver } from "../receiver.ts";
import type { prepareDisk } from "./library.ts";
import { acknowledge } from "./log.ts";

const WRITING_PROCESS = fileURLToPath(new URL("./writing-process.ts", import.meta.url));
const SALON = "salon-aurora";

/** Runs commands on a folder, and logs what they change and acknowledge. */
export function recordWork({ folder, dataDir, env: preload }: ReturnType<typeof prepareDisk>) {
  const log = join(folder, "changes.log");
  const env = { ...preload, DISK_LOG: log };
  const confirm = (text: string) => acknowledge(log, text);

  async function deskbell(...args: string[]): Promise<string> {
    const result = await runProgram([...args, "--data-dir", dataDir], { env });
    expect(result, result.stderr).toMatchObject({ code: 0 });
    return result.stdout.trim();
  }

  async function create(type: string, ...flags: string[]): Promise<{ id: string; secret: string }> {
    const output = await deskbell(type, "create", "--name", "site", "--json", ...flags);
    return (JSON.parse(output) as { data: { id: string; secret: string } }).data;
  }

  /** @returns the key's secret */
  async function createKey(): Promise<string> {
    const limits = ["--limit-minute", "100000", "--limit-hour", "1000000"];
    const { id, secret } = await create("keys", "--secret", ...limits);
    confirm(`api_key ${id}`);
    return secret;
  }

  async function setPrice(price: number): Promise<void> {
    await deskbell("services", "update", "beard-trim", "--price", (price / 100).toFixed(2));
    confirm(`price ${price}`);
  }

  /** Makes changes such as `price 9100` or `endpoint` in a process of their own. */
  async function write(changes: readonly string[]): Promise<void> {
    const child = spawn(process.execPath, [WRITING_PROCESS, dataDir], {
      env: { ...process.env, ...env },
    });
    const ended = once(child, "exit");
    child.stdin.end(changes.join("\n"));
    let done = 0;
    for await (const text of createInterface({ input: child.stdout })) {
      confirm(text);
      done += 1;
    }
    expect(await ended).toEqual([0, null]);
    expect(done).toBe(changes.length);
  }

  /** Books over HTTP while another process edits prices and a partner receives its events. */
  async function serveAndBook(key: string, count: number): Promise<void> {
    const partner = await createReceiver();
    const flags = ["--port", "0", "--log-format", "json", "--allow-http"];
    const args = ["serve", ...flags, "--allow-private", "127.0.0.0/8", "--data-dir", dataDir];
    const daemon = startProgram(args, { env });
    const api = `${await waitForUrl(daemon)}/v1/businesses/${SALON}`;
    const editing = write(Array.from({ length: count }, (_, i) => `price ${20_000 + i}`));
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const starts = await listStarts(api, headers);
    const post = async (path: string, body: object, idempotencyKey: string) => {
      const response = await fetch(api + path, {
        method: "POST",
        headers: { ...headers, "idempotency-key": idempotencyKey },
        body: JSON.stringify(body),
      });
      const text = await response.text();
      return response.status === 201 ? (JSON.parse(text) as { data: { id: string } }).data : text;
    };
    for (const [n, { startsAt, serviceId }] of starts.slice(0, count).entries()) {
      const visit = { startsAt, segments: [{ serviceId }], customer: { name: "Ana" } };
      const booked = await post("/bookings", visit, `visit-${n}`);
      if (typeof booked === "object") confirm(`booking ${booked.id}`);
      if (n !== 5) continue;
      // The first endpoint creates the master key, while the WAL is in use.
      const endpoint = { name: "site", url: partner.url, events: ["service.updated"] };
      const created = await post("/webhooks", endpoint, "endpoint");
      if (typeof created === "string") throw new Error(created);
      confirm(`endpoint ${created.id}`);
    }
    await editing;
    daemon.child.kill("SIGTERM");
    expect(await daemon.waitForExit()).toMatchObject({ code: 0 });
  }

  return { log, confirm, deskbell, createKey, setPrice, write, serveAndBook };
}

type Start = { startsAt: string; serviceId: string };

/** Returns the free starts of a service. */
async function listStarts(api: string, headers: Record<string, string>): Promise<Start[]> {
  const get = async (path: string) => (await fetch(api + path, { headers })).json();
  const { data: services } = (await get("/services")) as { data: { id: string; name: string }[] };
  const serviceId = services.find(({ name }) => /beard/i.test(name))?.id ?? "";
  const today = Temporal.Now.plainDateISO();
  const query = `from=${today.add({ days: 3 })}&to=${today.add({ days: 30 })}`;
  const { data } = (await get(`/availability?serviceId=${serviceId}&${query}`)) as {
    data: { days: { slots: { startsAt: string }[] }[] };
  };
  return data.days.flatMap(({ slots }) => slots.map(({ startsAt }) => ({ startsAt, serviceId })));
}

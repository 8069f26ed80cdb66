import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { appendEventFor } from "../../../src/app/events.ts";
import { openRuntime, type Runtime } from "../../../src/app/runtime.ts";
import { createEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import { readConfig } from "../../../src/config.ts";
import { createTempFolder } from "../cli.ts";
import { spawnDaemonOf, waitForUrl } from "../daemon.ts";
import { addBusiness, buildEventDraft } from "../delivery.ts";
import { PROGRAM } from "../program.ts";
import { createReceiver } from "../receiver.ts";

/** More deliveries than a test sends to one endpoint. */
const MAX_DELIVERIES = 10_000;

async function startHostileReceivers(): Promise<number[]> {
  const child = fork(fileURLToPath(new URL("fault-servers.ts", import.meta.url)));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  });
  const [ports] = (await once(child, "message")) as [number[]];
  return ports;
}

function openSecondRuntime(dataDir: string): Runtime {
  const rt = openRuntime(readConfig({ dataDir }, {}), 5000, { log: () => {} });
  onTestFinished(rt.close);
  return rt;
}

/**
 * Starts a daemon with two businesses, whose endpoints are the receivers of `FAULTS` and a healthy
 * one.
 * @param timeoutMs the timeout of every endpoint
 */
export async function startHostileLab(timeoutMs: number, program = PROGRAM) {
  const [good, ports] = await Promise.all([createReceiver(), startHostileReceivers()]);
  const dataDir = createTempFolder();
  const rt = openSecondRuntime(dataDir);
  const daemon = spawnDaemonOf(program, dataDir);
  await waitForUrl(daemon);
  const businesses = ["one", "two"].map((slug) => addBusiness(rt, slug));
  const subscribe = async (i: number, url: string) => {
    const business = businesses[i % businesses.length]!;
    const request = {
      businessId: business.id,
      keyId: null,
      name: "receiver",
      url,
      events: ["service.updated"],
    };
    const { endpoint } = await createEndpoint(rt, {
      ...request,
      allowPrivate: true,
      timeoutMs,
    });
    return { endpoint, business };
  };
  const hostile = await Promise.all(
    ports.map((port, i) => subscribe(i, `http://127.0.0.1:${port}/`)),
  );
  const partner = await subscribe(0, good.url);
  const emit = (to: typeof hostile) =>
    rt.tx(() =>
      to.forEach(({ business, endpoint }) =>
        appendEventFor(rt, business, buildEventDraft(), endpoint),
      ),
    );
  const deliveriesTo = ({ endpoint }: typeof partner) =>
    rt.store.deliveries.list({ endpointId: endpoint.id }, MAX_DELIVERIES);
  const firstAttemptsAt = (to: typeof partner) =>
    deliveriesTo(to).flatMap(({ id }) => rt.store.deliveries.listAttempts(id).slice(0, 1));
  const countTried = () => hostile.flatMap(firstAttemptsAt).length;
  return { good, daemon, hostile, partner, emit, deliveriesTo, firstAttemptsAt, countTried };
}

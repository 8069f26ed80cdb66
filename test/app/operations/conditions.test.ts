import { expect, test } from "vitest";
import { runDoctor } from "../../../src/app/operations/doctor.ts";
import { readStatus } from "../../../src/app/operations/status.ts";
import { CONDITION_CODES, conditionKind } from "../../../src/domain/conditions/registry.ts";
import { createApp } from "../../../src/http/app.ts";
import { createRunningServer, INJECTIONS, type RunningServer } from "../../support/conditions.ts";

/** Returns the codes that the operator sees, and the status of /readyz. */
async function listCodes(rt: RunningServer) {
  const app = createApp(rt, undefined, "127.0.0.1");
  const metrics = await (await app.request("/metrics")).text();
  const checks = await Array.fromAsync(
    runDoctor(rt.config, { open: async () => rt, askDaemon: async () => ({ at: rt.now() }) }),
  );
  return {
    status: readStatus(rt).problems.map(({ code }) => code),
    doctor: checks.flatMap(({ findings }) => findings.flatMap(({ code }) => code ?? [])),
    metrics: [
      ...metrics.matchAll(/^deskbell_condition\{code="(\S+)",severity="\w+"\} [1-9]/gm),
    ].map(([, code]) => code),
    ready: (await app.request("/readyz")).status,
  };
}

test("every condition appears in status, doctor, metrics and /readyz, and so does its end", async () => {
  const rt = await createRunningServer();
  const none = { status: [], doctor: [], metrics: [], ready: 200 };
  expect(await listCodes(rt)).toEqual(none);
  for (const code of CONDITION_CODES) {
    const end = await INJECTIONS[code](rt);
    const found = await listCodes(rt);
    expect(found.status, "status").toContain(code);
    // A command cannot open a database that is gone, and a stopped daemon serves no metrics.
    if (code !== "storage.gone") expect(found.doctor, "doctor").toContain(code);
    if (code !== "daemon.stopped") expect(found.metrics, "metrics").toContain(code);
    expect(found.ready, code).toBe(conditionKind(code).isUnready ? 503 : 200);
    end();
    expect(await listCodes(rt), `the end of ${code}`).toEqual(none);
  }
});

import { Agent, type OutgoingHttpHeaders, request } from "node:http";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test, vi } from "vitest";
import { createKey } from "../../../src/app/keys.ts";
import { alertText, formatAlert } from "../../../src/features/alerts/rules/formats.ts";
import { ALERT_FORMATS } from "../../../src/domain/conditions/alert-url.ts";
import { toAlert } from "../../../src/features/alerts/rules/alert.ts";
import { openCondition } from "../../../src/domain/conditions/registry.ts";
import { startServer } from "../../../src/http/server.ts";
import { createLog } from "../../../src/platform/log.ts";
import type { EndpointRow } from "../../../src/store/webhooks/endpoints.ts";
import { isRecording, recordClaim } from "../../support/claims.ts";
import { createTerminal } from "../../support/cli.ts";
import { addBusiness } from "../../support/delivery.ts";
import { createHostileSource } from "../../support/hostile/terminal-texts.ts";
import { fillDeliveries } from "../../support/live-data.ts";
import { openSession } from "../../features/live-view/open-view.ts";
import { chooseScale } from "../../support/scale.ts";
import { createTestRuntime, type TestRuntime } from "../../support/test-runtime.ts";
import { patient } from "../../support/patience.ts";

// No text that a partner can write controls a terminal, forges a log line or an alert, or hides
// anything.

const SENT = chooseScale(3000, 970_000);
const STORED = chooseScale(800, 30_000, 2000);
const AT_ONCE = 8;

/**
 * Returns the control and format characters of a text, except line breaks and joiners between two
 * characters of a word.
 */
function findHidden(text: string): string[] {
  const chars = Array.from(text);
  const isInWord = (char = "") => /[\p{L}\p{M}\p{N}\p{S}]/u.test(char);
  return chars.filter(
    (char, i) =>
      char !== "\n" &&
      /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(char) &&
      !(/[\u200c\u200d]/.test(char) && isInWord(chars[i - 1]) && isInWord(chars[i + 1])),
  );
}

/** Writes the log in both formats, and returns a function that checks the lines written since. */
function watchLog(rt: TestRuntime): () => number {
  let written = "";
  const write = vi
    .spyOn(process.stderr, "write")
    .mockImplementation((chunk) => (written += String(chunk)) !== "");
  onTestFinished(() => write.mockRestore());
  const logs = [createLog("pretty", rt.now), createLog("json", rt.now)];
  rt.log = (level, message, fields) =>
    void logs.forEach((log) => log(level === "info" ? "warn" : level, message, fields));
  return () => {
    const lines = written.split("\n").slice(0, -1);
    written = "";
    expect(
      lines.filter((line) => !/^(?:\d\d:\d\d:\d\d (?:warn |error) |\{"time":)/.test(line)),
    ).toEqual([]);
    expect(lines.filter((line) => findHidden(line).length > 0)).toEqual([]);
    for (const line of lines) if (line.startsWith("{")) JSON.parse(line);
    return lines.length;
  };
}

/**
 * Returns a text as the bytes of a header value, without those that Node's client refuses to send.
 */
const toHeader = (text: string): string =>
  Buffer.from(text)
    .toString("latin1")
    .replace(/[\x00-\x1f\x7f]/g, "")
    .slice(0, 1000);
const toUrl = (text: string): string => encodeURIComponent(text.toWellFormed()).slice(0, 1000);

test(
  `${SENT} hostile strings in requests leave no control character in the log or in a name`,
  { timeout: patient(1_800_000) },
  async () => {
    const rt = createTestRuntime({ accessLog: true });
    const business = addBusiness(rt);
    const { secret } = createKey(rt, {
      businessId: business.id,
      name: "partner",
      kind: "SECRET",
      scopes: [],
      limitMinute: 1e9,
      limitHour: 1e9,
    });
    const checkLog = watchLog(rt);
    const server = await startServer(rt, { host: "127.0.0.1", port: 0 });
    onTestFinished(() => server.close());
    const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
    onTestFinished(() => agent.destroy());
    const { draw, drawn } = createHostileSource();

    const send = (method: string, path: string, headers: OutgoingHttpHeaders, body = "") =>
      new Promise<{ status: number; text: string }>((resolve, reject) => {
        const options = { agent, method, path, headers, host: "127.0.0.1", port: server.port };
        request(options, (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
          );
        })
          .on("error", reject)
          .end(body);
      });
    const hostileHeaders = () => ({
      "user-agent": toHeader(draw()),
      referer: toHeader(draw()),
      "accept-language": toHeader(draw()),
      "if-none-match": toHeader(draw()),
      "x-request-id": toHeader(draw()),
      "x-forwarded-for": toHeader(draw()),
      cookie: toHeader(draw()),
    });
    const base = `/v1/businesses/${business.slug}`;
    const authorization = { authorization: `Bearer ${secret}` };
    const json = { ...authorization, "content-type": "application/json" };

    const sendAll = async () => {
      const invalid = {
        name: draw(),
        url: draw(),
        events: [draw(), draw(), draw()],
        [draw()]: draw(),
        [draw()]: draw(),
      };
      const responses = [
        await send("GET", `${base}/services?${toUrl(draw())}=${toUrl(draw())}`, {
          ...hostileHeaders(),
          ...authorization,
        }),
        await send("GET", `/v1/${toUrl(draw())}/${toUrl(draw())}`, {
          ...hostileHeaders(),
          authorization: toHeader(draw()),
        }),
        await send(
          "POST",
          `${base}/webhooks`,
          { ...hostileHeaders(), ...json, "idempotency-key": toHeader(draw()) },
          JSON.stringify(invalid),
        ),
      ];
      const valid = { name: draw(), url: `https://8.8.8.8/${draw()}`, events: ["service.updated"] };
      const created = await send("POST", `${base}/webhooks`, json, JSON.stringify(valid));
      if (created.status === 201) {
        const { data } = JSON.parse(created.text) as {
          data: { id: string; name: string; url: string };
        };
        expect(findHidden(data.name + data.url)).toEqual([]);
        expect(data.name).not.toContain("\n");
        const renamed = await send(
          "PATCH",
          `${base}/webhooks/${data.id}`,
          json,
          JSON.stringify({ name: draw() }),
        );
        expect(findHidden(rt.store.endpoints.findById(data.id)!.name)).toEqual([]);
        responses.push(renamed, await send("DELETE", `${base}/webhooks/${data.id}`, authorization));
      }
      responses.push(created);
      expect(responses.filter(({ status }) => status >= 500)).toEqual([]);
      return created.status;
    };

    const statuses = new Set<number>();
    let lines = 0;
    while (drawn() < SENT) {
      for (const status of await Promise.all(Array.from({ length: AT_ONCE }, sendAll)))
        statuses.add(status);
      lines += checkLog();
    }
    // Some of the names are valid; most are not.
    expect([...statuses].sort()).toEqual(expect.arrayContaining([201, 422]));
    expect(lines).toBeGreaterThan(SENT / 10);
  },
);

test(
  `${STORED} hostile strings in stored fields put no control character into a terminal or log`,
  { timeout: patient(3_600_000) },
  async () => {
    const rt = createTestRuntime();
    const checkLog = watchLog(rt);
    const endpoints = await fillDeliveries(rt, 100);
    for (let i = 0; i < 5; i++)
      createKey(rt, {
        businessId: "biz_salon-aurora",
        name: `key ${i}`,
        kind: "SECRET",
        scopes: [],
      });
    const { deskbell } = createTerminal({ isTTY: true, dataDir: rt.config.dataDir });
    const view = openSession(rt, { columns: 120, rows: 40 });
    const { draw, drawn } = createHostileSource();
    const db = new Database(join(rt.config.dataDir, "deskbell.db"));
    onTestFinished(() => void db.close());
    db.function("hostile", { deterministic: false }, draw);
    const store = db.transaction(() => {
      db.exec(`UPDATE endpoint SET name = hostile(), url = 'http://x/' || hostile(), disabled_reason = hostile();
      UPDATE api_key SET name = hostile();
      UPDATE delivery SET last_error = hostile();
      UPDATE attempt SET error = hostile(), response_text = hostile();`);
    });
    const delivery = "dlv_0000000000000000000000100";
    const commands = [
      "webhooks list",
      "deliveries list --limit 100",
      "keys list",
      "status",
      ...endpoints.map((id) => `webhooks show ${id}`),
      `deliveries show ${delivery}`,
    ].flatMap((line) => [line, `${line} --json`]);

    while (drawn() < STORED) {
      store();
      for (const line of commands) {
        const { stdout, stderr, code } = await deskbell(`${line} --no-color`);
        expect([0, 6]).toContain(code);
        expect({ line, hidden: findHidden(stdout + stderr) }).toEqual({ line, hidden: [] });
        if (line.endsWith("--json")) expect(stdout).not.toMatch(/\p{Cf}/u);
      }
      for (const key of ["e", "\x1b", "\r", "4", "\x1b", "f", "\x1b"]) {
        view.press(key);
        view.tick();
        expect(view.text()).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]|\p{Cf}/u);
      }
      for (const id of endpoints) {
        const endpoint = rt.store.endpoints.findById(id) as EndpointRow;
        const alert = endpointAlert(endpoint, draw(), rt.now());
        rt.log("warn", alert.message, { subject: endpoint.name });
        expect(alertText(alert)).not.toMatch(/[<>@\n]|:\/\//);
        for (const format of ALERT_FORMATS)
          expect(findHidden(formatAlert(format, alert).body)).toEqual([]);
      }
      expect(checkLog()).toBe(2 * endpoints.length);
    }
    if (!isRecording()) return;
    recordClaim({
      group: "attack",
      claim: "Text from outside takes no control of a terminal and forges no log line or alert",
      done: `${drawn()} hostile strings in the stored fields that partners and receivers determine were shown by ${commands.length} commands, the live view, the log and ${ALERT_FORMATS.length} formats of alerts.`,
      figure:
        "No control or format character appeared outside of a word, and no line of the log was forged.",
      control: await runControl(),
      seed: "none",
    });
  },
);

/** Writes hostile strings to a log that does not escape its text. */
async function runControl(): Promise<{ done: string; figure: string; hasFailed: boolean }> {
  const count = 100;
  vi.resetModules();
  vi.doMock(import("../../../src/domain/text.ts"), async (original) => ({
    ...(await original()),
    safe: (text) => text,
  }));
  onTestFinished(() => void vi.doUnmock("../../../src/domain/text.ts"));
  const { createLog: createUnsafeLog } = await import("../../../src/platform/log.ts");
  const written: string[] = [];
  vi.spyOn(process.stderr, "write").mockImplementation((chunk) => written.push(String(chunk)) > 0);
  onTestFinished(() => void vi.restoreAllMocks());
  const log = createUnsafeLog("pretty", () => 0);
  const { draw } = createHostileSource();
  for (let i = 0; i < count; i++) log("warn", draw());
  const unsafe = written.filter((line) => findHidden(line).length > 0).length;
  return {
    done: `A log that does not escape its text got ${count} of the strings.`,
    figure: `${unsafe} lines contained control or format characters.`,
    hasFailed: unsafe > 0,
  };
}

function endpointAlert({ id, name, url }: EndpointRow, error: string, now: number) {
  const text = `the endpoint '${name}' fails: ${error}`;
  const where = { business: "salon-aurora", subject: { id, name, url } };
  const condition = openCondition("endpoint.failing", text, "deskbell status", where);
  const members = [{ fingerprint: id, condition, isOpen: true, since: now, isNew: true }];
  const cause = {
    fingerprint: id,
    isGroup: false,
    members,
    since: now,
    clearSince: null,
    count: 1,
  };
  return toAlert({ ...cause, status: "FIRING", alertedAt: null }, "FIRING", now);
}

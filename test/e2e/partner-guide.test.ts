import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { readPartnerGuide } from "../../src/assets.ts";
import { findFreePort } from "../../src/cli/running/port.ts";
import { createEnvelope } from "../../src/domain/envelope.ts";
import { deliveryHeaders } from "../../src/domain/webhooks/webhook-post.ts";
import { generateSecret, signingKey } from "../../src/domain/webhooks/signature.ts";
import { createTempFolder } from "../support/cli.ts";

const secret = generateSecret((bytes) => Buffer.alloc(bytes, 7));
const other = generateSecret((bytes) => Buffer.alloc(bytes, 8));

/** The languages of the guide: code fence, file name, and commands to detect and run each. */
const LANGUAGES = [
  {
    fence: "js",
    file: "receiver.mjs",
    probe: [process.execPath, "--version"],
    run: () => [process.execPath, "receiver.mjs"],
  },
  {
    fence: "python",
    file: "receiver.py",
    probe: ["python3", "--version"],
    run: () => ["python3", "receiver.py"],
  },
  {
    fence: "php",
    file: "receiver.php",
    probe: ["php", "--version"],
    run: (port: number) => ["php", "-S", `127.0.0.1:${port}`, "receiver.php"],
  },
  {
    fence: "go",
    file: "receiver.go",
    probe: ["go", "version"],
    run: () => ["go", "run", "receiver.go"],
  },
  {
    fence: "ruby",
    file: "receiver.rb",
    probe: ["ruby", "-e", "require 'webrick'"],
    run: () => ["ruby", "receiver.rb"],
  },
];

const snippet = (fence: string): string =>
  new RegExp(`^\`\`\`${fence}\\n([^]*?)^\`\`\`$`, "m").exec(readPartnerGuide())?.[1] ?? "";

/** A delivery as the delivery worker sends it. */
function delivery({
  at = Date.now(),
  keys = [signingKey(secret)],
  id = "evt_1",
  name = "Café — ✂",
}) {
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

test.for(LANGUAGES)(
  "the example receiver accepts only correctly signed deliveries: $fence",
  { timeout: 60_000 },
  async ({ fence, file, probe, run }, { skip }) => {
    const [command = "", ...args] = probe;
    if (spawnSync(command, args).status !== 0)
      skip(`needs ${command}${fence === "ruby" ? " with the gem webrick" : ""}`);
    const folder = createTempFolder();
    writeFileSync(join(folder, file), snippet(fence));
    const port = await findFreePort(0);
    const [program = "", ...rest] = run(port);
    const child = spawn(program, rest, {
      cwd: folder,
      detached: true,
      // The test kills `go run` before it can delete its build files.
      env: { ...process.env, DESKBELL_SECRET: secret, PORT: String(port), GOTMPDIR: folder },
    });
    onTestFinished(async () => {
      // `go run` starts a child process.
      process.kill(-(child.pid ?? 0), "SIGKILL");
      await once(child, "close");
    });
    let printed = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk: Buffer) => void (printed += chunk));

    const post = async ({ body, headers }: { body: Buffer; headers: Record<string, string> }) =>
      (
        await fetch(`http://127.0.0.1:${port}/hook`, {
          method: "POST",
          headers,
          body: new Uint8Array(body),
        })
      ).status;
    while (
      !(await fetch(`http://127.0.0.1:${port}/`, { method: "POST" }).then(
        () => true,
        () => false,
      ))
    ) {
      if (child.exitCode !== null) throw new Error(`The receiver exited:\n${printed}`);
      await delay(50);
    }

    const valid = delivery({});
    expect(await post(valid)).toBe(204);
    // 10 seconds below the limit, since the machine may be slow and the timestamp has no
    // milliseconds.
    const late = Date.now() - 290_000;
    expect(
      await post(
        delivery({ id: "evt_2", at: late, keys: [signingKey(other), signingKey(secret)] }),
      ),
    ).toBe(204);
    // A duplicate is accepted and ignored.
    expect(await post(delivery({ at: late }))).toBe(204);

    const { body, headers } = valid;
    const signed = (signature: string) => ({
      body,
      headers: { ...headers, "X-Service-Signature": signature },
    });
    const { "X-Service-Signature": signature = "", ...unsigned } = headers;
    expect(await post({ body: Buffer.concat([body, Buffer.from(" ")]), headers })).toBe(400);
    expect(await post(delivery({ keys: [signingKey(other)] }))).toBe(400);
    expect(await post(delivery({ at: Date.now() - 310_000 }))).toBe(400);
    expect(await post(delivery({ at: Date.now() + 310_000 }))).toBe(400);
    expect(await post({ body, headers: unsigned })).toBe(400);
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
      expect([broken, await post(signed(broken))]).toEqual([broken, 400]);
    expect(await post(valid)).toBe(204);
    // The PHP example does not store IDs. The output may arrive after the response.
    const accepted = () => printed.match(/service\.updated svc_1/g)?.length;
    await expect.poll(accepted).toBe(fence === "php" ? 4 : 2);
  },
);

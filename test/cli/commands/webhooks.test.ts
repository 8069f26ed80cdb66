import { ALL_EVENT_TYPES, EVENT_TYPES } from "../../../src/domain/events/event-types.ts";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test, vi } from "vitest";
import { type CommandResult, createTerminal } from "../../support/cli.ts";
import { WAITS } from "../../support/waits.ts";

const CAFE = `
catalog: 1
business: { slug: joes, name: Joe's, timezone: America/New_York, currency: USD }
services:
  - { key: cut, name: Cut, price: 40.00, durationMin: 30 }
`;

const data = <T>(ran: CommandResult): T => (JSON.parse(ran.stdout) as { data: T }).data;

async function createEndpoint(url = "http://127.0.0.1:9/hook") {
  const { deskbell, dataDir } = createTerminal();
  await deskbell("catalog apply -", CAFE);
  const added = await deskbell(
    `webhooks create --name till --url ${url} --event all --allow-private --timeout 2s`,
  );
  expect(added).toMatchObject({ code: 0 });
  const [endpoint] = data<{ id: string }[]>(await deskbell("webhooks list --json"));
  return { deskbell, dataDir, id: endpoint!.id, secret: added.stdout.trim() };
}

test("webhooks update, disable and enable change an endpoint, and disable parks its deliveries", async () => {
  const { deskbell, id } = await createEndpoint();
  expect(
    await deskbell(`webhooks update ${id} --name kitchen --max-in-flight 8 --event staff.updated`),
  ).toMatchObject({
    code: 0,
  });
  expect(data(await deskbell(`webhooks show ${id} --json`))).toMatchObject({
    name: "kitchen",
    maxInFlight: 8,
    timeoutMs: 2000,
    events: ["staff.updated"],
  });
  await deskbell(`events trigger service.updated --endpoint ${id}`);
  expect((await deskbell(`webhooks disable ${id}`)).stderr).toContain("parked 1 delivery.");
  expect(data(await deskbell("deliveries list --status PARKED --json"))).toHaveLength(1);
  for (const time of ["2099-01-01T18:00", "'tomorrow 18:00'", "soon"])
    expect(await deskbell(`webhooks enable ${id} --recover ${time}`)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(
        /^error: Cannot send .*\nfix: use all, none, or a time in the past/,
      ),
    });
  expect(data(await deskbell("deliveries list --status PARKED --json"))).toHaveLength(1);
  expect((await deskbell(`webhooks enable ${id} --recover 30m`)).stderr).toMatch(
    /Parked deliveries to send, of events since 20\S+: 1;/,
  );
  expect(data(await deskbell(`webhooks show ${id} --json`))).toMatchObject({ status: "ACTIVE" });
});

test("`--event all` subscribes to the standard event types; other types must be named", async () => {
  const { deskbell, id } = await createEndpoint();
  const eventsOf = async () =>
    data<{ events: string[] }>(await deskbell(`webhooks show ${id} --json`)).events;
  expect(await eventsOf()).toEqual(EVENT_TYPES);
  await deskbell(`webhooks update ${id} --event all --event event_availability.updated`);
  expect(await eventsOf()).toEqual([...EVENT_TYPES, "event_availability.updated"]);
  expect((await deskbell("webhooks list")).stdout).toContain("all event_availability.updated");
});

test.each([
  ["http://1.1.1.1/hook", "DESKBELL_ALLOW_HTTP=1", "1"],
  ["https://10.0.0.1/hook", "DESKBELL_ALLOW_PRIVATE=<cidr>", "10.0.0.0/8"],
])(
  "webhooks create refuses %s, and names the environment variable that allows it",
  async (url, assignment, value) => {
    const { deskbell } = createTerminal();
    await deskbell("catalog apply -", CAFE);
    const line = `webhooks create --name till --url ${url} --event all`;
    const refused = await deskbell(line);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(assignment) });
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv(assignment.replace(/=.*/, ""), value);
    expect(await deskbell(line)).toMatchObject({ code: 0 });
  },
);

test("webhooks delete needs --yes in a script", async () => {
  const { deskbell, id } = await createEndpoint();
  expect(await deskbell(`webhooks delete ${id}`)).toMatchObject({ code: 2 });
  expect(await deskbell(`webhooks delete ${id} --yes`)).toMatchObject({ code: 0 });
  expect(await deskbell(`webhooks show ${id}`)).toMatchObject({ code: 3 });
});

test("webhooks commands find an endpoint by its ID or by a unique name", async () => {
  const { deskbell, dataDir, id } = await createEndpoint();
  expect(data(await deskbell("webhooks show till --json"))).toMatchObject({ id });
  expect(await deskbell("webhooks disable til")).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("There is no webhook endpoint 'til'. Did you mean 'till'?"),
  });
  await deskbell(
    "webhooks create --name bar --url http://127.0.0.1:9/ --event all --allow-private",
  );
  // Two endpoints could have the same name in version 0.2.
  const db = new Database(join(dataDir, "deskbell.db"));
  db.exec("UPDATE endpoint SET name = 'till'");
  db.close();
  await deskbell(
    `webhooks create --name ${id} --url http://127.0.0.1:9/ --event all --allow-private`,
  );
  const refused = await deskbell("webhooks delete till --yes");
  expect(refused).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(
      /'till' is ambiguous: whe_\w+ \(127\.0\.0\.1:9\), whe_\w+ \(127\.0\.0\.1:9\)\.\nfix: /,
    ),
  });
  expect(refused.stderr).toContain(id);
  expect(data(await deskbell(`webhooks show ${id} --json`))).toMatchObject({ name: "till" });
});

test("webhooks create and update refuse a name that another endpoint of the business has", async () => {
  const { deskbell, id } = await createEndpoint();
  const other = "--url http://127.0.0.1:9/ --event all --allow-private";
  const refused = { stderr: expect.stringContaining(`${id} is already named 'till'`) };
  const created = await deskbell(`webhooks create --name till ${other}`);
  expect(created).toMatchObject(refused);
  expect(created.code).not.toBe(0);
  await deskbell(`webhooks create --name bar ${other}`);
  expect(await deskbell("webhooks update bar --name till")).toMatchObject(refused);
  expect(data(await deskbell("webhooks list --json"))).toHaveLength(2);
  expect(await deskbell(`webhooks update ${id} --name till --timeout 3s`)).toMatchObject({
    code: 0,
  });
});

test("webhooks create --key gives the endpoint to the key and limits it to the key's event groups", async () => {
  const { deskbell } = await createEndpoint();
  await deskbell("keys create --name website --scope webhooks.write --event-group catalog");
  const url = "--url http://127.0.0.1:9/site --allow-private";
  const created = await deskbell(`webhooks create --name site ${url} --event all --key website`);
  expect(created).toMatchObject({ code: 0, stderr: "" });
  const [key] = data<{ id: string }[]>(await deskbell("keys list --json"));
  const shown = data<{ keyId: string; events: string[] }>(
    await deskbell("webhooks show site --json"),
  );
  expect(shown.keyId).toBe(key!.id);
  expect(shown.events).toContain("service.updated");
  expect(shown.events).not.toContain("booking.created");
  expect(await deskbell("webhooks update site --event booking.created")).toMatchObject({
    stderr: expect.stringContaining("booking.created"),
  });
  expect(data(await deskbell("keys show website --json"))).toMatchObject({
    status: "ACTIVE",
    endpoints: [{ name: "site", status: "ACTIVE" }],
    openHolds: 0,
  });
});

test("webhooks update --key gives an endpoint to a key or takes it from its key, and webhooks create names webhooks update", async () => {
  const { deskbell, id } = await createEndpoint();
  const bar = "webhooks create --name bar --url http://127.0.0.1:9/ --event all --allow-private";
  expect((await deskbell(bar)).stderr).toContain("webhooks update whe_");
  await deskbell("keys create --name website --scope webhooks.write --event-group catalog");
  expect(await deskbell("webhooks update till --key website")).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("its event groups are catalog"),
  });
  expect(await deskbell("webhooks update till --key website --event all")).toMatchObject({
    code: 0,
  });
  const show = async () => data<{ keyId: string }>(await deskbell(`webhooks show ${id} --json`));
  expect((await show()).keyId).toMatch(/^key_/);
  await deskbell("webhooks update till --key none");
  expect((await show()).keyId).toBeNull();
});

test("keys revoke names the endpoints that it disables, in a dry run too", async () => {
  const { deskbell, id } = await createEndpoint();
  await deskbell("keys create --name website --scope webhooks.write");
  await deskbell("webhooks update till --key website");
  await deskbell(`events trigger service.updated --endpoint ${id}`);
  const dryRun = await deskbell("keys revoke website --dry-run --yes");
  expect(dryRun.stderr).toContain(`disable its endpoint 'till' (${id}, 127.0.0.1:9)`);
  expect(data(await deskbell(`webhooks show ${id} --json`))).toMatchObject({ status: "ACTIVE" });
  const revoked = await deskbell("keys revoke website --yes --json");
  expect(data(revoked)).toMatchObject({ endpoints: [{ id, parked: 1 }], releasedHolds: 0 });
  expect(revoked.stderr).toContain(
    `Disabled its endpoint 'till' (${id}, 127.0.0.1:9), which parked 1 delivery.`,
  );
  expect(data(await deskbell("keys show website --json"))).toMatchObject({
    status: "REVOKED",
    endpoints: [{ id, status: "DISABLED", disabledReason: "key_revoked" }],
  });
});

test("deliveries list and webhooks list show times, endpoint and error at 80 columns", async () => {
  const { deskbell, dataDir, id } = await createEndpoint();
  await deskbell(`events trigger service.updated --endpoint ${id}`);
  const db = new Database(join(dataDir, "deskbell.db"));
  db.exec(
    "UPDATE delivery SET last_error = 'HTTP 503\u001b[2J', last_status_code = 503, attempt_count = 1",
  );
  db.exec("UPDATE endpoint SET failing_since = 1795176000000, last_error = 'HTTP 503\u001b[2J'");
  db.close();
  expect((await deskbell("deliveries list")).stdout).toContain("\tservice.updated\tHTTP 503␛[2J\t");
  const screen = createTerminal({ isTTY: true, dataDir });
  const { stdout } = await screen.deskbell("deliveries list --no-color");
  expect(stdout).toMatch(
    /^ID +CREATED +STATUS +EVENT\n +HTTP +TRIES +LAST ERROR +NEXT TRY +ENDPOINT\n/,
  );
  expect(stdout).toMatch(
    /\ndlv_\w{25} {2}[\dT:-]+Z {2}PENDING {2}service\.updated\n +503 +1 {2}HTTP 503␛\[2J {2}[\dT:-]+Z {2}till\n$/,
  );
  const endpoints = (await screen.deskbell("webhooks list --no-color")).stdout;
  expect(endpoints).toMatch(
    /\nwhe_\w{25} {2}till {2}ACTIVE\n {2}http\S+ +all +2026-11-20T12:00:00Z {2}HTTP 503␛\[2J\n$/,
  );
  for (const line of (stdout + endpoints).split("\n")) expect(line.length).toBeLessThanOrEqual(80);
});

test("no key or endpoint is created, and no secret rotated, if the new secret cannot be printed", async () => {
  const { deskbell, dataDir, id } = await createEndpoint();
  await deskbell("keys create --name site --secret");
  const list = async () => [
    (await deskbell("webhooks list --json")).stdout,
    (await deskbell(`webhooks show ${id} --json`)).stdout,
    (await deskbell("keys list --json")).stdout,
    (await deskbell("audit list --json")).stdout,
  ];
  const before = await list();
  const fd = openSync("/dev/full", "w");
  onTestFinished(() => closeSync(fd));
  const onFullDisk = createTerminal({ dataDir, stdoutFd: fd }).deskbell;
  const message = "Cannot write to stdout, so nothing was saved: no space left on device";
  expect(await onFullDisk("keys create --name shop --secret --json")).toMatchObject({
    code: 5,
    stderr: expect.stringContaining(`{"error":{"code":"state_refuses","message":"${message}`),
  });
  for (const line of [
    "keys create --name shop --secret",
    "keys rotate site --overlap 0s",
    "webhooks create --name door --url http://127.0.0.1:9/door --event all --allow-private",
    `webhooks rotate-secret ${id}`,
  ])
    expect(await onFullDisk(line)).toMatchObject({
      code: 5,
      stderr: expect.stringMatching(new RegExp(`^error: ${message}`)),
    });
  expect(await list()).toEqual(before);
});

test("webhooks rotate-secret prints only the new secret on stdout; --finish ends the overlap", async () => {
  const { deskbell, id, secret } = await createEndpoint();
  const rotated = await deskbell(`webhooks rotate-secret ${id} --overlap 1h`);
  expect(rotated).toMatchObject({ code: 0, stdout: expect.stringMatching(/^whsec_\S+\n$/) });
  expect(rotated.stdout.trim()).not.toBe(secret);
  expect(await deskbell(`webhooks rotate-secret ${id}`)).toMatchObject({ code: 5, stdout: "" });
  expect(data(await deskbell(`webhooks show ${id} --json`))).toMatchObject({
    oldSecretEndsAt: expect.any(String),
  });
  expect((await deskbell(`webhooks rotate-secret ${id} --finish`)).stderr).toContain(
    "Removed the old secret",
  );
  expect((await deskbell(`webhooks rotate-secret ${id} --finish`)).stderr).toContain(
    "has no old secret to remove",
  );
  expect(await deskbell("keys rotate-master")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("1 signing"),
  });
});

test("commands that use the master key fail with a wrong one until rotate-secret --force replaces the signing secret", async () => {
  const { deskbell, dataDir, id } = await createEndpoint();
  writeFileSync(join(dataDir, "master.key"), `${Buffer.alloc(32).toString("base64")}\n`);
  const add =
    "webhooks create --name kitchen --url http://127.0.0.1:9/ --event all --allow-private";
  for (const command of [add, `webhooks rotate-secret ${id}`])
    expect(await deskbell(command)).toMatchObject({
      code: 5,
      stdout: "",
      stderr: expect.stringMatching(
        /does not match the stored signing secrets[^]*fix: copy the master key back to \S+; .* --force/,
      ),
    });
  expect(await deskbell("keys rotate-master")).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(/cannot be decrypted[^]*status/),
  });
  expect(data(await deskbell("webhooks list --json"))).toHaveLength(1);
  const lost = /decrypts no signing secret: .*rotate-secret ID --force/;
  expect((await deskbell("status")).stdout).toMatch(lost);

  expect(await deskbell(`webhooks rotate-secret ${id} --force`)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^whsec_/),
    stderr: expect.stringContaining("signed with the new secret only"),
  });
  expect((await deskbell("status")).stdout).not.toMatch(lost);
  expect(await deskbell(add)).toMatchObject({ code: 0 });
});

test("deliveries redeliver and cancel take an ID or filters", async () => {
  const { deskbell, id } = await createEndpoint();
  await deskbell("events trigger service.updated");
  await deskbell("events trigger catalog.changed");
  const [newest] = data<{ id: string }[]>(await deskbell("deliveries list --json"));
  expect(await deskbell("deliveries redeliver")).toMatchObject({ code: 2 });
  expect(await deskbell(`deliveries redeliver ${newest!.id} --failed`)).toMatchObject({ code: 2 });
  expect(await deskbell("deliveries redeliver dlv_none")).toMatchObject({ code: 3 });
  expect(data(await deskbell(`deliveries cancel ${newest!.id} --json`))).toEqual({
    count: 1,
    dryRun: false,
  });
  expect(data(await deskbell(`deliveries cancel --endpoint ${id} --dry-run --json`))).toEqual({
    count: 1,
    dryRun: true,
  });
  expect(await deskbell(`deliveries cancel --endpoint ${id}`)).toMatchObject({ code: 2 });
  expect((await deskbell(`deliveries cancel --endpoint ${id} --yes`)).stderr).toContain(
    "Cancelled 1 delivery.",
  );
  expect(data(await deskbell("deliveries list --status CANCELLED --json"))).toHaveLength(2);
  const again = "deliveries redeliver --status CANCELLED --rate 5/s";
  expect(data(await deskbell(`${again} --dry-run --json`))).toEqual({ count: 2, dryRun: true });
  expect((await deskbell(again)).stderr).toContain("Redelivering 2 deliveries.");
  expect(await deskbell(`${again.replace("5/s", "fast")}`)).toMatchObject({ code: 2 });
  expect(data(await deskbell("deliveries list --status PENDING --json"))).toHaveLength(2);
});

test("--since and --until limit which deliveries are listed, redelivered and cancelled", async () => {
  const { deskbell } = await createEndpoint();
  await deskbell("events trigger service.updated");
  const list = async (period: string) =>
    data<object[]>(await deskbell(`deliveries list ${period} --json`)).length;
  expect(await list("--since 1h")).toBe(1);
  expect(await list("--until 1h")).toBe(0);
  expect(await list("--until 0s --since 1h")).toBe(1);
  expect(data(await deskbell("deliveries cancel --until 1h --json --yes"))).toMatchObject({
    count: 0,
  });
  expect(data(await deskbell("deliveries cancel --until 0s --json --yes"))).toMatchObject({
    count: 1,
  });
  const again = "deliveries redeliver --status CANCELLED --json";
  expect(data(await deskbell(`${again} --until 1h`))).toMatchObject({ count: 0 });
  expect(data(await deskbell(`${again} --since 1h --until 0s`))).toMatchObject({ count: 1 });
});

test("--endpoint of the deliveries commands accepts a name, and fails for an unknown one", async () => {
  const { deskbell, id } = await createEndpoint();
  const { name } = data<{ name: string }>(await deskbell(`webhooks show ${id} --json`));
  await deskbell(`events trigger service.updated --endpoint ${name}`);
  const byName = data<{ endpointId: string }[]>(
    await deskbell(`deliveries list --endpoint ${name} --json`),
  );
  expect(byName).toMatchObject([{ endpointId: id }]);
  for (const line of ["list", "redeliver", "cancel", "tail"])
    expect(await deskbell(`deliveries ${line} --endpoint nobody`)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("There is no webhook endpoint 'nobody'."),
    });
  await deskbell(`webhooks delete ${id} --yes`);
  expect(data(await deskbell(`deliveries list --endpoint ${id} --json`))).toHaveLength(1);
});

test("deliveries redeliver --wait says that no daemon is running, or that a delivery ended without an attempt", async () => {
  const { deskbell } = await createEndpoint();
  await deskbell("events trigger service.updated");
  const [{ id }] = data<[{ id: string }]>(await deskbell("deliveries list --json"));
  await deskbell(`deliveries cancel ${id}`);
  const waiting = deskbell(`deliveries redeliver ${id} --wait`);
  await vi.waitUntil(
    async () => (await deskbell("deliveries list --status PENDING")).stdout !== "",
    WAITS,
  );
  await deskbell(`deliveries cancel ${id}`);
  const { code, stderr } = await waiting;
  expect(code).toBe(0);
  expect(stderr).toContain(
    "The daemon is not running, so nothing is sent. Start it: deskbell serve\n",
  );
  expect(stderr).toMatch(
    /^Nothing is left to attempt\. Parked, cancelled or corrupt without an attempt: 1 delivery\.$/m,
  );
});

test("events list and events show print an event of events trigger; events types lists all types", async () => {
  const { deskbell } = await createEndpoint();
  const triggered = await deskbell("events trigger service.updated");
  const id = triggered.stdout.trim();
  expect(triggered).toMatchObject({
    code: 0,
    stderr: "Triggered service.updated: 1 webhook to send.\n",
  });
  expect(data(await deskbell("events list --type service.updated --json"))).toMatchObject([
    { id, sequence: 3 },
  ]);
  expect(data(await deskbell(`events show ${id} --json`))).toMatchObject({
    id,
    data: { object: { name: "Cut" } },
  });
  const types = await deskbell("events types");
  expect(types.stdout.split("\n")).toContain("service.updated\tprice variants addons");
  expect(types.stdout.trim().split("\n")).toHaveLength(ALL_EVENT_TYPES.length);
  expect(await deskbell("events trigger service.updatd")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Did you mean 'service.updated'?"),
  });
  const first = await deskbell("events list --limit 1");
  expect(first.stderr).toMatch(/--before evt_/);
});

test("webhooks create without --key prints a command that gives the endpoint to a key, but not in a dry run", async () => {
  const { deskbell, id } = await createEndpoint();
  const create = "webhooks create --url http://127.0.0.1:9/hook --event all --allow-private";
  expect((await deskbell(`${create} --name bar --dry-run`)).stderr).toBe(
    "Dry run: nothing was saved.\n",
  );
  await deskbell("catalog apply -", CAFE.replace("joes", "annes"));
  const { stderr } = await deskbell(`${create} --name till --business annes`);
  const [, command = "", named] = /To change that: deskbell (.* (whe_\w+)) --key KEY\n$/.exec(
    stderr,
  )!;
  expect(named).not.toBe(id);
  expect(await deskbell(`${command} --key none --max-in-flight 3`)).toMatchObject({ code: 0 });
});

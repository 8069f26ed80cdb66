import Database from "better-sqlite3";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { runProgram } from "../support/cli.ts";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../support/daemon.ts";
import { createReceiver } from "../support/receiver.ts";
import { hasTmux, openTmux } from "../support/tmux.ts";

/** Starts a daemon that has delivered to one endpoint and failed to deliver to another. */
async function startDaemonWithDeliveries() {
  const { dataDir, deskbell } = await createSeededSalon();
  await waitForUrl(spawnDaemon(dataDir));
  const good = await createReceiver();
  const bad = await createReceiver([{ status: 500, body: "out of paper" }]);
  const add = (name: string, url: string) =>
    deskbell(
      "webhooks",
      "create",
      "--name",
      name,
      "--url",
      url,
      "--event",
      "all",
      "--allow-private",
    );
  await add("till", good.url);
  await add("printer", bad.url);
  await deskbell("services", "update", "beard-trim", "--price", "77.00");
  await Promise.all([good.waitForRequests(3), bad.waitForRequests(3)]);
  return { dataDir, deskbell, good, bad };
}

const stty = (text: string): string => /exit=\d+ (\S+)/.exec(text.replaceAll("\n", ""))?.[1] ?? "";

describe.skipIf(!hasTmux)("the live view on a real terminal", { timeout: 60_000 }, () => {
  test("each key of the live view does what its help says", async () => {
    const { dataDir, deskbell, good, bad } = await startDaemonWithDeliveries();
    const terminal = openTmux(150, 40);
    terminal.allowClipboard();
    await terminal.start("tui", "--data-dir", dataDir);
    const { press, waitForText } = terminal;
    await waitForText(/● live {2}127\.0\.0\.1:\d+/);
    await waitForText(/1-6 of 6 {2}▮ newest/);
    await waitForText(/▸\S+ \S \w+ +\d{3} catalog\.changed/);
    const first = /▸.*(dlv_\w+)/;
    const newest = first.exec(terminal.text())?.[1];
    expect(newest).toBeDefined();

    press("j", "Down");
    await waitForText(/1-6 of 6 {2}G to follow/);
    expect(first.exec(terminal.text())?.[1]).not.toBe(newest);
    press("k", "Up");
    await waitForText(new RegExp(`▸.*${newest}`));
    press("NPage");
    await waitForText(new RegExp(` (?!▸).*${newest}`));
    press("End");
    await waitForText(/▸\S+ \S \w+ +\d{3} service\.updated/);
    press("g");
    await waitForText(new RegExp(`▸.*${newest}`));

    await deskbell("services", "update", "beard-trim", "--price", "78.00");
    await waitForText(/▲ 6 new/);
    press("G");
    await waitForText(/1-12 of 12 {2}▮ newest/);

    press("Space");
    await waitForText(/▯ paused/);
    press("Space");
    await waitForText(/▮ newest/);

    press("f", "l", "l", "Enter");
    await waitForText(/retrying {2}1-6 of 6/);
    press("Enter");
    await waitForText(/\[1 summary\][^]*state +✗ failed {2}next attempt/);
    press("Right");
    await waitForText(/\[2 request\][^]*X-Service-Signature: t=\d+,v1=…[^]*"type": "/);
    press("3");
    await waitForText(/\[3 response\][^]*out of paper/);
    press("4");
    await waitForText(/\[4 attempts\][^]*1 {2}\d{4}-\d\d-\d\d \S+ {2}✗ failed/);

    const sent = bad.requests.length;
    press("r");
    await waitForText(/dlv_\w+ queued for redelivery/);
    await bad.waitForRequests(sent + 1);
    press("i");
    const copied = /copied (dlv_\w+)/.exec(await waitForText(/copied dlv_/))?.[1];
    expect(terminal.clipboard()).toBe(copied);
    press("y");
    await waitForText(/^curl --include [^]*--data-raw '[^]* Copied, with placeholders/m);
    expect(terminal.clipboard()).toMatch(/^curl [^]*v1=SIGNATURE[^]*--data-raw '\{.*\}'$/);
    press("Escape");
    await waitForText(/\[4 attempts\]/);
    press("Escape");
    await waitForText(/retrying {2}1-6/);

    press("R");
    await waitForText(/Redeliver 6 deliveries\? Type 6/);
    press("6", "Enter");
    await waitForText(/ 6 deliveries queued for redelivery/);
    press("Escape");
    await waitForText(/─ all {2}1-12 of 12/);

    press("e");
    await waitForText(
      /─ endpoints ─+ 2 ─╮\s*│▸▲ printer +127\.0\.0\.1:\d+ +failing +\d+ pending +│\s*│ +failing: HTTP 500 since \d\d:/,
    );
    press("D");
    await waitForText(/ y confirms/);
    press("y");
    await waitForText(/▸– printer [^]*Disabled 'printer'\. Parked: \d+ deliver/);
    press(":");
    await waitForText(/and \d+ more/);
    press("-l", "en");
    press("Tab");
    press("-l", "a");
    press("Tab");
    press("-l", "all");
    press("Enter");
    await waitForText(/Enabled 'printer'\./);
    press("j", "t");
    await waitForText(/✓ test event: 200 in \d+ ms from 127\.0\.0\.1/);
    expect(good.requests.at(-1)?.headers["x-service-test"]).toBe("true");
    press("Enter");
    await waitForText(/─ till {2}1-6 {2}▮ newest/);
    press("Escape", "/");
    await waitForText(/search any text/);
    press("-l", "service_price");
    press("Enter");
    await waitForText(/\/service_price {2}1-4 {2}▮ newest/);
    press("?");
    await waitForText(/─ help ─/);
    press("Escape");
    await waitForText(/\/service_price/);
    press("Escape");
    await waitForText(/─ all {2}1-12 of 12/);

    terminal.resize(50, 12);
    await waitForText(/╭─ deliveries ─+ all {2}1-7 of 12 {2}▮ newest ─╮/);
    terminal.resize(80, 24);
    await waitForText(/╭─ last 60 min ─+ 1 col = 1 min, full = \d+ ─╮/);
    press("q");
    await waitForText(/exit=0/);
  });

  test.each([
    ["q", 0, (terminal: ReturnType<typeof openTmux>) => terminal.press("q")],
    ["ctrl-c", 130, (terminal: ReturnType<typeof openTmux>) => terminal.press("C-c")],
    [
      "SIGTERM",
      143,
      (terminal: ReturnType<typeof openTmux>) => void process.kill(terminal.pid(), "SIGTERM"),
    ],
    [
      "SIGHUP",
      129,
      (terminal: ReturnType<typeof openTmux>) => void process.kill(terminal.pid(), "SIGHUP"),
    ],
  ])(
    "%s ends the live view with exit code %i and restores the terminal",
    async (_name, code, end) => {
      const { dataDir } = await createSeededSalon();
      const terminal = openTmux();
      await terminal.start("--version");
      const before = {
        stty: stty(await terminal.waitForText(/exit=0 \S+\n/)),
        state: terminal.state(),
      };
      terminal.press("clear", "Enter");
      await terminal.start("tui", "--data-dir", dataDir);
      await terminal.waitForText(
        /○ no daemon[^]*No deliveries yet\. Start the daemon with deskbell serve\./,
      );
      expect(terminal.state()).not.toBe(before.state);
      end(terminal);
      const after = await terminal.waitForText(/exit=\d+ \S+[^]*ready>/);
      expect(after).toContain(`exit=${code} `);
      expect(after).not.toContain("deliveries ─");
      expect({ stty: stty(after), state: terminal.state() }).toEqual(before);
    },
  );

  test("the live view treats a terminal that reports no size as 80x24", async () => {
    const { dataDir } = await createSeededSalon();
    const terminal = openTmux();
    terminal.press("-l", "stty cols 0 rows 0");
    terminal.press("Enter");
    await terminal.start("tui", "--data-dir", dataDir);
    expect(await terminal.waitForText(/No deliveries yet/)).toContain("╭─ last 60 min ");
    terminal.press("q");
    await terminal.waitForText(/exit=0/);
  });

  test("q ends the live view at once with exit code 0, even while a test event waits for a receiver that hangs", async () => {
    const { dataDir, deskbell } = await createSeededSalon();
    const hangs = await createReceiver([{ hold: true }]);
    await deskbell(
      "webhooks",
      "create",
      "--name",
      "a",
      "--url",
      hangs.url,
      "--event",
      "all",
      "--allow-private",
    );
    const terminal = openTmux();
    await terminal.start("tui", "--data-dir", dataDir);
    await terminal.waitForText(/No deliveries yet/);
    terminal.press("e", "t");
    await hangs.waitForRequests(1);
    terminal.press("q");
    expect(await terminal.waitForText(/exit=\d+ \S+[^]*ready>/)).toMatch(/exit=0 /);
    expect(terminal.text()).not.toContain("error");
  });

  test("a redelivery in the live view fails fast while another program writes, instead of freezing", async () => {
    const { dataDir } = await startDaemonWithDeliveries();
    const terminal = openTmux();
    await terminal.start("tui", "--data-dir", dataDir);
    await terminal.waitForText(/1-6 of 6/);
    const db = new Database(join(dataDir, "deskbell.db"));
    onTestFinished(() => void db.close());
    db.exec("BEGIN IMMEDIATE");
    terminal.press("r");
    await terminal.waitForText(/Another program is writing\. Try again in a moment\./);
    db.exec("ROLLBACK");
    terminal.press("r");
    expect(await terminal.waitForText(/dlv_\w+ queued for redelivery/)).not.toContain(
      "Another program",
    );
  });

  test("a crash of the live view restores the terminal before the error is printed", async () => {
    const { dataDir } = await createSeededSalon();
    const terminal = openTmux(100, 30);
    await terminal.start("--version");
    const before = {
      stty: stty(await terminal.waitForText(/exit=0 \S+\n/)),
      state: terminal.state(),
    };
    await terminal.start("tui", "--data-dir", dataDir);
    await terminal.waitForText(/No deliveries yet/);
    const db = new Database(join(dataDir, "deskbell.db"));
    db.exec("DROP TABLE attempt");
    db.close();
    const after = await terminal.waitForText(/Internal error[^]*exit=1 \S+[^]*ready>/);
    expect(after).toContain("no such table: attempt");
    expect({ stty: stty(after.slice(after.indexOf("exit=1"))), state: terminal.state() }).toEqual(
      before,
    );
  });

  test("the error of the live view names an alternative on a terminal with TERM=dumb", async () => {
    const { dataDir } = await createSeededSalon();
    const terminal = openTmux();
    terminal.press("-l", "export TERM=dumb");
    terminal.press("Enter");
    await terminal.start("tui", "--data-dir", dataDir);
    expect(await terminal.waitForText(/exit=2 /)).toMatch(
      /needs an interactive terminal\.[^]*deliveries tail/,
    );
  });
});

test("the error of the live view names an alternative if there is no terminal", async () => {
  const { dataDir } = await createSeededSalon();
  const ran = await runProgram(["tui", "--data-dir", dataDir]);
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toMatch(
    /^error: The live view needs an interactive terminal\.\nfix: .*deliveries tail \(exit 2\)\n$/,
  );
});

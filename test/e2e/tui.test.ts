import Database from "better-sqlite3";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { runProgram } from "../support/cli.ts";
import { createSeededSalon, spawnDaemon, waitForUrl } from "../support/daemon.ts";
import { createReceiver } from "../support/receiver.ts";
import { hasTmux, openTmux } from "../support/tmux.ts";

/** A daemon that has delivered some events and failed with others. */
async function busyBox() {
  const { dataDir, deskbell } = await createSeededSalon();
  await waitForUrl(spawnDaemon(dataDir));
  const good = await createReceiver();
  const bad = await createReceiver([{ status: 500, body: "out of paper" }]);
  const add = (name: string, url: string) =>
    deskbell("webhooks", "add", "--name", name, "--url", url, "--event", "all", "--allow-private");
  await add("till", good.url);
  await add("printer", bad.url);
  await deskbell("services", "set", "cut", "--price", "77.00");
  await Promise.all([good.waitForRequests(3), bad.waitForRequests(3)]);
  return { dataDir, deskbell, good, bad };
}

const stty = (text: string): string => /exit=\d+ (\S+)/.exec(text.replaceAll("\n", ""))?.[1] ?? "";

describe.skipIf(!hasTmux)("on a real terminal", { timeout: 60_000 }, () => {
  test("every key that the help names does what it says", async () => {
    const { dataDir, deskbell, good, bad } = await busyBox();
    const terminal = openTmux(120, 40);
    terminal.allowClipboard();
    await terminal.start("tui", "--data-dir", dataDir);
    const { press, sees } = terminal;
    await sees(/● live {2}127\.0\.0\.1:\d+/);
    await sees(/1-6 of 6 {2}▮ newest/);
    await sees(/▸\S+ \S \w+ +\d{3} catalog\.changed/);
    const first = /▸.*(dlv_\w+)/;
    const newest = first.exec(terminal.text())?.[1];
    expect(newest).toBeDefined();

    press("j", "Down");
    await sees(/1-6 of 6 {2}G follows/);
    expect(first.exec(terminal.text())?.[1]).not.toBe(newest);
    press("k", "Up");
    await sees(new RegExp(`▸.*${newest}`));
    press("NPage");
    await sees(new RegExp(` (?!▸).*${newest}`));
    press("End");
    await sees(/▸\S+ \S \w+ +\d{3} service\.updated/);
    press("g");
    await sees(new RegExp(`▸.*${newest}`));

    await deskbell("services", "set", "cut", "--price", "78.00");
    await sees(/▲ 6 new/);
    press("G");
    await sees(/1-12 of 12 {2}▮ newest/);

    press("Space");
    await sees(/▯ paused/);
    press("Space");
    await sees(/▮ newest/);

    press("f", "l", "l", "Enter");
    await sees(/retrying {2}1-6 of 6/);
    press("Enter");
    await sees(/\[1 summary\][^]*state +✗ failed {2}it is tried again/);
    press("Right");
    await sees(/\[2 request\][^]*X-Service-Signature: t=\d+,v1=…[^]*"type": "/);
    press("3");
    await sees(/\[3 response\][^]*out of paper/);
    press("4");
    await sees(/\[4 attempts\][^]*1 {2}\d{4}-\d\d-\d\d \S+ {2}✗ failed/);

    const sent = bad.requests.length;
    press("r");
    await sees(/dlv_\w+ goes again/);
    await bad.waitForRequests(sent + 1);
    press("y");
    const copied = /copied (dlv_\w+)/.exec(await sees(/copied dlv_/))?.[1];
    expect(terminal.clipboard()).toBe(copied);
    press("Escape");
    await sees(/retrying {2}1-6/);

    press("R");
    await sees(/6 deliveries go again\. Type 6/);
    press("6", "Enter");
    await sees(/ 6 go again/);
    press("Escape");
    await sees(/─ all {2}1-12 of 12/);

    press("e");
    await sees(/─ endpoints ─+ 2 ─╮\s*│▸▲ printer +127\.0\.0\.1:\d+ +failing \S+ +\d+ owed/);
    press("j", "t");
    await sees(/✓ test answered 200 in \d+ ms, from 127\.0\.0\.1/);
    expect(good.requests.at(-1)?.headers["x-service-test"]).toBe("true");
    press("Enter");
    await sees(/─ till {2}1-6 {2}▮ newest/);
    press("Escape", "/");
    await sees(/search for an id/);
    press("-l", "service_price");
    press("Enter");
    await sees(/\/service_price {2}1-4 {2}▮ newest/);
    press("?");
    await sees(/─ help ─/);
    press("Escape");
    await sees(/\/service_price/);
    press("Escape");
    await sees(/─ all {2}1-12 of 12/);

    terminal.resize(50, 12);
    await sees(/╭─ deliveries ─+ all {2}1-7 of 12 {2}▮ newest ─╮/);
    terminal.resize(80, 24);
    await sees(/╭─ last 60 min ─+ 1 col = 1 min ─╮/);
    press("q");
    await sees(/exit=0/);
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
  ])("%s ends it with %i and leaves the terminal as it was", async (_name, code, end) => {
    const { dataDir } = await createSeededSalon();
    const terminal = openTmux();
    await terminal.start("--version");
    const before = { stty: stty(await terminal.sees(/exit=0 \S+\n/)), state: terminal.state() };
    terminal.press("clear", "Enter");
    await terminal.start("tui", "--data-dir", dataDir);
    await terminal.sees(/○ no daemon[^]*No delivery yet\. deskbell serve delivers them\./);
    expect(terminal.state()).not.toBe(before.state);
    end(terminal);
    const after = await terminal.sees(/exit=\d+ \S+[^]*ready>/);
    expect(after).toContain(`exit=${code} `);
    expect(after).not.toContain("deliveries ─");
    expect({ stty: stty(after), state: terminal.state() }).toEqual(before);
  });

  test("a terminal that nobody has told its size is taken for one of 80x24", async () => {
    const { dataDir } = await createSeededSalon();
    const terminal = openTmux();
    terminal.press("-l", "stty cols 0 rows 0");
    terminal.press("Enter");
    await terminal.start("tui", "--data-dir", dataDir);
    expect(await terminal.sees(/No delivery yet/)).toContain("╭─ last 60 min ");
    terminal.press("q");
    await terminal.sees(/exit=0/);
  });

  test("q ends it at once and well while a test is on its way to a receiver that does not answer", async () => {
    const { dataDir, deskbell } = await createSeededSalon();
    const hangs = await createReceiver([{ hold: true }]);
    await deskbell(
      "webhooks",
      "add",
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
    await terminal.sees(/No delivery yet/);
    terminal.press("e", "t");
    await hangs.waitForRequests(1);
    terminal.press("q");
    expect(await terminal.sees(/exit=\d+ \S+[^]*ready>/)).toMatch(/exit=0 /);
    expect(terminal.text()).not.toContain("error");
  });

  test("while another program writes, what is to be sent again is refused in a moment instead of the screen standing still", async () => {
    const { dataDir } = await busyBox();
    const terminal = openTmux();
    await terminal.start("tui", "--data-dir", dataDir);
    await terminal.sees(/1-6 of 6/);
    const db = new Database(join(dataDir, "deskbell.db"));
    onTestFinished(() => void db.close());
    db.exec("BEGIN IMMEDIATE");
    terminal.press("r");
    await terminal.sees(/Another program is writing\. Try again in a moment\./);
    db.exec("ROLLBACK");
    terminal.press("r");
    expect(await terminal.sees(/dlv_\w+ goes again/)).not.toContain("Another program");
  });

  test("a crash gives the terminal back first, so that what happened can be read", async () => {
    const { dataDir } = await createSeededSalon();
    const terminal = openTmux(100, 30);
    await terminal.start("--version");
    const before = { stty: stty(await terminal.sees(/exit=0 \S+\n/)), state: terminal.state() };
    await terminal.start("tui", "--data-dir", dataDir);
    await terminal.sees(/No delivery yet/);
    const db = new Database(join(dataDir, "deskbell.db"));
    db.exec("DROP TABLE attempt");
    db.close();
    const after = await terminal.sees(/met a bug in itself[^]*exit=1 \S+[^]*ready>/);
    expect(after).toContain("no such table: attempt");
    expect({ stty: stty(after.slice(after.indexOf("exit=1"))), state: terminal.state() }).toEqual(
      before,
    );
  });

  test("a terminal that cannot draw is told what can be used instead", async () => {
    const { dataDir } = await createSeededSalon();
    const terminal = openTmux();
    terminal.press("-l", "export TERM=dumb");
    terminal.press("Enter");
    await terminal.start("tui", "--data-dir", dataDir);
    expect(await terminal.sees(/exit=2 /)).toMatch(
      /needs a terminal that draws\.[^]*deliveries tail/,
    );
  });
});

test("without a terminal it names what can be used instead", async () => {
  const { dataDir } = await createSeededSalon();
  const ran = await runProgram(["tui", "--data-dir", dataDir]);
  expect(ran).toMatchObject({ code: 2, stdout: "" });
  expect(ran.stderr).toMatch(
    /^error: The live view needs a terminal that draws\.\nfix: .*deliveries tail \(exit 2\)\n$/,
  );
});

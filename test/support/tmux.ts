import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { onTestFinished, vi } from "vitest";
import { createTempFolder } from "./cli.ts";
import { PROGRAM, TIMEOUT_MS } from "./program.ts";

export const hasTmux = spawnSync("tmux", ["-V"]).status === 0;
if (!hasTmux)
  console.warn("tmux is not installed: skipping tests on a real terminal (apt-get install tmux)");

let servers = 0;

/** Opens a real terminal with a shell, from which the built program can be started. */
export function openTmux(columns = 80, rows = 24, { command, isStandalone } = PROGRAM) {
  const socket = `deskbell-${process.pid}-${servers++}`;
  const run = (...args: string[]): string =>
    execFileSync("tmux", ["-L", socket, "-f", "/dev/null", ...args], { encoding: "utf8" });
  run("new-session", "-d", "-x", String(columns), "-y", String(rows), "env PS1='ready> ' sh");
  onTestFinished(() => void run("kill-server"));

  const home = isStandalone ? createTempFolder() : "";
  const program = [
    ...(isStandalone ? [`cd ${home}; env -i TERM=$TERM PATH= HOME=${home}`] : []),
    ...command,
  ].join(" ");
  const text = (): string => run("capture-pane", "-p");
  const waitForText = async (pattern: RegExp): Promise<string> => {
    const found = await vi
      .waitUntil(() => (pattern.test(text()) ? text() : false), {
        timeout: TIMEOUT_MS,
        interval: 40,
      })
      .catch(() => undefined);
    if (found === undefined)
      throw new Error(`The terminal does not show ${pattern}. It shows:\n${text()}`);
    return found;
  };
  /** Sends keys by tmux's names, such as `Enter` or `NPage`; other words are typed. */
  const press = (...keys: string[]) => void run("send-keys", ...keys);
  return {
    text,
    waitForText,
    press,
    resize: (columns: number, rows: number) =>
      void run("resize-window", "-x", String(columns), "-y", String(rows)),
    /** Terminal modes that a program must restore. */
    state: () =>
      run(
        "display-message",
        "-p",
        "alternate #{alternate_on} cursor #{cursor_flag} keypad #{keypad_flag} mouse #{mouse_any_flag}",
      ).trim(),
    clipboard: () => run("show-buffer"),
    allowClipboard: () => void run("set-option", "-g", "set-clipboard", "on"),
    /** Types the program's command line. When it ends, the shell prints its exit code. */
    async start(...args: string[]): Promise<void> {
      await waitForText(/ready> $|ready>\s*$/);
      press("-l", `${program} ${args.join(" ")}; echo "exit=$? $(stty -g)"`);
      press("Enter");
    },
    /** The process ID of the program that the shell runs. */
    pid(): number {
      const shell = run("list-panes", "-F", "#{pane_pid}").trim();
      return Number(
        readFileSync(`/proc/${shell}/task/${shell}/children`, "utf8").trim().split(" ")[0],
      );
    },
  };
}

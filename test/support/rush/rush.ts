import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { SeededRandom } from "../../../src/domain/seeded-random.ts";
import { spawnDaemonOf, waitForUrl } from "../daemon.ts";
import { type Program, PROGRAM } from "../program.ts";
import { createRushClient, type History } from "./client.ts";
import { createHttpDesk, createTerminalDesk, type Desk } from "./desk.ts";

// Clients and a terminal book at the same shop, while its daemon is killed.

/** A kill comes up to this long after the attempt that triggers it. */
const LATEST_KILL_MS = 50;
const LONGEST_START_MS = 400;

/** Starts a daemon that can be killed. `url` waits while none runs. */
export async function startMortalDaemon(
  dataDir: string,
  random: SeededRandom,
  program: Program,
  ...flags: string[]
) {
  let daemon = spawnDaemonOf(program, dataDir, ...flags);
  let url = Promise.withResolvers<string>();
  url.resolve(await waitForUrl(daemon));
  const end = async () => {
    daemon.child.kill("SIGKILL");
    await daemon.waitForExit();
    daemon = spawnDaemonOf(program, dataDir, ...flags);
  };
  return {
    url: () => url.promise,
    async kill(): Promise<void> {
      await sleep(random.integer(0, LATEST_KILL_MS));
      const next = Promise.withResolvers<string>();
      url = next;
      await end();
      if (random.chance(0.2)) {
        await sleep(random.integer(0, LONGEST_START_MS));
        await end();
      }
      next.resolve(await waitForUrl(daemon));
    },
  };
}

/** Returns a desk whose commands run in a process of its own, one after the other. */
async function openTerminal(dataDir: string): Promise<Desk> {
  const program = fileURLToPath(new URL("terminal-process.ts", import.meta.url));
  const child = fork(program, [dataDir]);
  const exited = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  await once(child, "message");
  return createTerminalDesk(async (args) => {
    const printed = once(child, "message");
    child.send(args);
    return ((await printed) as [{ stdout: string; stderr: string }])[0];
  });
}

type Sale = { secrets: string[]; eventId: string; ticketTypeId: string };

/** The plan of a rush. `killAfter` has the numbers of attempts after which the daemon is killed. */
type RushPlan = { attempts: number; killAfter: number[]; program?: Program };

/** Books until the number of attempts is reached, and kills the daemon in between. */
export async function runRush(
  dataDir: string,
  sale: Sale,
  random: SeededRandom,
  history: History,
  { attempts, killAfter, program = PROGRAM }: RushPlan,
): Promise<{ desks: Desk[]; terminalSteps: number }> {
  const daemon = await startMortalDaemon(dataDir, random, program);
  const { secrets, ...ids } = sale;
  const desks = secrets.map((secret, n) =>
    createHttpDesk({ name: `client-${n}`, secret, url: daemon.url, ...ids }),
  );
  const terminal = await openTerminal(dataDir);
  let terminalSteps = 0;
  const isOver = () => history.attempts >= attempts;

  const play = async (desk: Desk): Promise<void> => {
    const step = createRushClient(desk, random, history);
    while (!isOver()) {
      if (desk === terminal) terminalSteps += 1;
      await step();
    }
  };
  const kill = async (): Promise<void> => {
    for (const count of killAfter) {
      while (history.attempts < count && !isOver()) await sleep(1);
      await daemon.kill();
    }
  };
  await Promise.all([...desks, terminal].map(play).concat(kill()));
  return { desks, terminalSteps };
}

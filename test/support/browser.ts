import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished, type TestContext } from "vitest";
import { createTempFolder } from "./cli.ts";

const CHROMIUM = "/usr/bin/chromium";
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--remote-debugging-port=0",
];
const PATIENCE_MS = 30_000;

export type Page = {
  /** Runs a function, given as its source is, in the page: what it needs goes in as arguments, what it resolves with comes out. */
  run: <A extends unknown[], T>(script: (...args: A) => Promise<T>, ...args: A) => Promise<T>;
  /** The addresses that were asked for, whatever came of it. */
  requests: string[];
  /** What the browser had to say against the page: broken policies, failed loads, what was thrown or logged as an error. */
  complaints: string[];
};

export type PageOptions = {
  width?: number;
  height?: number;
  /** false: scripts of the page do not run. */
  scripts?: boolean;
};

/** Opens an address in a headless Chromium, by the DevTools protocol; without one the test is skipped and says why. */
export async function openPage(
  test: Pick<TestContext, "skip">,
  url: string,
  look: PageOptions = {},
): Promise<Page> {
  if (!existsSync(CHROMIUM)) test.skip(`needs ${CHROMIUM}: apt-get install chromium`);
  const { send, hear } = await connect(await launch());
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const tell = (method: string, params: Reply = {}) => send(method, params, String(sessionId));
  const evaluate = (expression: string) =>
    tell("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });

  const requests: string[] = [];
  const complaints: string[] = [];
  hear("Network.requestWillBeSent", ({ request }) =>
    requests.push((request as { url: string }).url),
  );
  hear("Log.entryAdded", ({ entry }) => complaints.push(JSON.stringify(entry)));
  hear("Runtime.exceptionThrown", (thrown) => complaints.push(JSON.stringify(thrown)));
  hear("Runtime.consoleAPICalled", ({ type, args }) => {
    if (type === "error" || type === "warning") complaints.push(JSON.stringify(args));
  });
  for (const domain of ["Page", "Network", "Log", "Runtime"]) await tell(`${domain}.enable`);
  const { width = 1440, height = 900, scripts = true } = look;
  await tell("Emulation.setDeviceMetricsOverride", {
    width,
    height,
    deviceScaleFactor: 1,
    mobile: false,
  });
  await tell("Emulation.setScriptExecutionDisabled", { value: !scripts });
  await tell("Page.navigate", { url });
  // A new target is at first an empty page.
  while (
    ((await evaluate("location.href + document.readyState"))["result"] as { value?: string })
      .value !== `${url}complete`
  )
    await delay(20);
  return {
    requests,
    complaints,
    async run<A extends unknown[], T>(script: (...args: A) => Promise<T>, ...args: A): Promise<T> {
      const { result, exceptionDetails } = await evaluate(
        `(${script.toString()})(...${JSON.stringify(args)})`,
      );
      if (exceptionDetails !== undefined)
        throw new Error(`The page threw: ${JSON.stringify(exceptionDetails)}`);
      return (result as { value: T }).value;
    },
  };
}

/** @returns the address at which it can be driven */
async function launch(): Promise<string> {
  const profile = createTempFolder();
  const child = spawn(CHROMIUM, [...FLAGS, `--user-data-dir=${profile}`], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const gone = once(child, "exit");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await gone;
  });
  const timeout = setTimeout(() => child.kill("SIGKILL"), PATIENCE_MS);
  for await (const line of createInterface({ input: child.stderr })) {
    const found = /^DevTools listening on (\S+)/.exec(line)?.[1];
    if (found === undefined) continue;
    clearTimeout(timeout);
    child.stderr.resume();
    return found;
  }
  throw new Error("Chromium ended before it could be driven.");
}

type Reply = Record<string, unknown>;
type Connection = {
  send: (method: string, params: Reply, sessionId?: string) => Promise<Reply>;
  /** Told of every event of a name. */
  hear: (method: string, listener: (params: Reply) => void) => void;
};

async function connect(address: string): Promise<Connection> {
  const socket = new WebSocket(address);
  await once(socket, "open");
  onTestFinished(() => socket.close());
  const waiting = new Map<number, PromiseWithResolvers<Reply>>();
  const listeners = new Map<string, (params: Reply) => void>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result, error, method, params } = JSON.parse(String(data)) as {
      id?: number;
      result: Reply;
      error?: { message: string };
      method?: string;
      params: Reply;
    };
    listeners.get(method ?? "")?.(params);
    if (error) waiting.get(id ?? 0)?.reject(new Error(error.message));
    else waiting.get(id ?? 0)?.resolve(result);
  });
  let lastId = 0;
  return {
    hear: (method, listener) => void listeners.set(method, listener),
    send(method, params, sessionId) {
      const reply = Promise.withResolvers<Reply>();
      lastId += 1;
      waiting.set(lastId, reply);
      socket.send(JSON.stringify({ id: lastId, method, params, sessionId }));
      return reply.promise;
    },
  };
}

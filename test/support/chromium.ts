import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";

// Drives headless Chromium through the DevTools protocol, for tests and benchmarks.

/**
 * The headless shell of Chromium needs about a third of the processor time that the whole browser
 * needs. It is started directly, because the script of the same name in /usr/bin would start it as
 * another process, which would survive if the script is killed.
 */
const HEADLESS_SHELL = "/usr/lib/chromium/chromium-headless-shell";
export const CHROMIUM = existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : "/usr/bin/chromium";
const FLAGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--in-process-gpu",
  // Frames of other sites get a DevTools target of their own only with this flag, because it is off
  // by default in the headless shell.
  "--site-per-process",
  // Tests can open pages under the names of other hosts. Browsers send less data to such hosts than
  // to loopback addresses.
  "--host-resolver-rules=MAP *.test 127.0.0.1",
  "--remote-debugging-port=0",
];
const TIMEOUT_MS = 30_000;

/** A document in which functions run: that of a page, or of a frame of another origin. */
export type ScriptedDocument = {
  /** Runs a function in the page. It is sent as source text, so it can only use its arguments. */
  run: <A extends unknown[], T>(script: (...args: A) => Promise<T>, ...args: A) => Promise<T>;
  /** Loads a script into the page, whatever its CSP is. */
  load: (source: string) => Promise<void>;
};

export type Page = ScriptedDocument & {
  /** Waits for a frame of another site, and returns its document, also after it has navigated. */
  findFrame: () => Promise<ScriptedDocument>;
  open: (url: string) => Promise<void>;
  resize: (width: number) => Promise<void>;
  /** Returns the value of a cookie of the page, also of one that its scripts cannot read. */
  readCookie: (name: string) => Promise<string | undefined>;
  /** Takes the page off the network, or puts it back. */
  setOffline: (isOffline: boolean) => Promise<void>;
  /** Presses keys on the keyboard, such as "Tab" or "Enter". */
  press: (...keys: (keyof typeof KEYS)[]) => Promise<void>;
  /** Writes a text into the element that has the focus. */
  write: (text: string) => Promise<void>;
  /** Clicks at a point of the window, as a finger or a mouse does. */
  tap: (x: number, y: number) => Promise<void>;
  /** Makes the scripts of the page run as on a processor that is several times slower. */
  slowDown: (times: number) => Promise<void>;
  /** Returns the visible part of the page, or all of it, as a PNG. */
  capture: (isWhole?: boolean) => Promise<Buffer>;
  /** The URLs and titles that the browser's history keeps. */
  readHistory: () => Promise<string[]>;
  /** The folder in which the browser keeps its data. */
  profile: string;
  /** The URLs of all requests, failed ones included. */
  requests: string[];
  /** Policy violations, failed loads, exceptions, and logged errors and warnings. */
  errors: string[];
};

export type PageOptions = {
  width?: number;
  height?: number;
  /** Whether the page's own scripts run. */
  scripts?: boolean;
  /** Whether the reader prefers dark colours. */
  dark?: boolean;
  /** The language that the reader has chosen in the browser. */
  language?: string;
  /** Whether the browser keeps data on disk, as for a usual window. */
  keepsData?: boolean;
};

const KEYS = {
  Tab: { code: "Tab", windowsVirtualKeyCode: 9 },
  "Shift+Tab": { key: "Tab", code: "Tab", windowsVirtualKeyCode: 9, modifiers: 8 },
  Enter: { code: "Enter", windowsVirtualKeyCode: 13, text: "\r" },
  Space: { key: " ", code: "Space", windowsVirtualKeyCode: 32, text: " " },
  ArrowDown: { code: "ArrowDown", windowsVirtualKeyCode: 40 },
} as const;

/**
 * Opens a URL in a page with cookies, storage and a cache of its own.
 * @param onOpen receives a function that closes the connection to the page
 */
export async function openPage(
  { address, profile }: Browser,
  url: string,
  options: PageOptions,
  onOpen: (close: () => void) => void,
): Promise<Page> {
  const { send, on } = await connect(address, onOpen);
  const { browserContextId } = options.keepsData
    ? {}
    : await send("Target.createBrowserContext", { disposeOnDetach: true });
  const { targetId } = await send("Target.createTarget", { url: "about:blank", browserContextId });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const sendToPage = (method: string, params: Json = {}) => send(method, params, String(sessionId));
  const evaluate = (expression: string) =>
    sendToPage("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });

  const requests: string[] = [];
  const errors: string[] = [];
  on("Network.requestWillBeSent", ({ request }) => requests.push((request as { url: string }).url));
  on("Log.entryAdded", ({ entry }) => {
    const text = JSON.stringify(entry);
    // The browser reports each script that it was told not to load.
    if (!text.includes("ERR_BLOCKED_BY_CLIENT")) errors.push(text);
  });
  on("Runtime.exceptionThrown", (thrown) => errors.push(JSON.stringify(thrown)));
  on("Runtime.consoleAPICalled", ({ type, args }) => {
    if (type === "error" || type === "warning") errors.push(JSON.stringify(args));
  });
  for (const domain of ["Page", "Network", "Log", "Runtime"]) await sendToPage(`${domain}.enable`);
  const { width = 1440, height = 900, scripts = true, dark = false } = options;
  // Blocking script files also keeps scripts away from pages that links and forms open later.
  if (!scripts) await sendToPage("Network.setBlockedURLs", { urls: ["*.js"] });
  const resize = async (width: number) =>
    void (await sendToPage("Emulation.setDeviceMetricsOverride", {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: false,
    }));
  await resize(width);
  if (options.language !== undefined)
    await sendToPage("Network.setExtraHTTPHeaders", {
      headers: { "accept-language": options.language },
    });
  await sendToPage("Emulation.setEmulatedMedia", {
    features: [{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }],
  });
  const open = async (to: string) => {
    await sendToPage("Emulation.setScriptExecutionDisabled", { value: !scripts });
    await sendToPage("Page.navigate", { url: to });
    // Until the URL is loaded, the target shows an empty page or the page before.
    while (
      ((await evaluate("location.href + document.readyState"))["result"] as { value?: string })
        .value !== `${to}complete`
    )
      await delay(20);
    // The page's own scripts have been skipped by now, and functions of `run` need timers.
    await sendToPage("Emulation.setScriptExecutionDisabled", { value: false });
  };
  await open(url);
  return {
    open,
    resize,
    requests,
    errors,
    profile,
    async readCookie(name) {
      const { cookies } = await sendToPage("Network.getCookies");
      return (cookies as { name: string; value: string }[]).find((one) => one.name === name)?.value;
    },
    async setOffline(offline) {
      const unlimited = { latency: 0, downloadThroughput: -1, uploadThroughput: -1 };
      await sendToPage("Network.emulateNetworkConditions", { offline, ...unlimited });
    },
    async press(...keys) {
      for (const name of keys) {
        const key = { key: name, ...KEYS[name] };
        await sendToPage("Input.dispatchKeyEvent", { type: "keyDown", ...key });
        await sendToPage("Input.dispatchKeyEvent", { type: "keyUp", ...key });
      }
    },
    async tap(x, y) {
      for (const type of ["mousePressed", "mouseReleased"])
        await sendToPage("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 });
    },
    slowDown: async (rate) => void (await sendToPage("Emulation.setCPUThrottlingRate", { rate })),
    write: async (text) => void (await sendToPage("Input.insertText", { text })),
    async capture(isWhole = false) {
      const { data } = await sendToPage("Page.captureScreenshot", {
        captureBeyondViewport: isWhole,
        ...(isWhole && { clip: await wholeOf(sendToPage) }),
      });
      return Buffer.from(String(data), "base64");
    },
    async readHistory() {
      const { entries } = await sendToPage("Page.getNavigationHistory");
      return (entries as { url: string; title: string }[]).flatMap(({ url, title }) => [
        url,
        title,
      ]);
    },
    ...createDocument(sendToPage),
    async findFrame() {
      for (;;) {
        const { targetInfos } = await send("Target.getTargets", {});
        const frame = (targetInfos as Record<string, unknown>[]).find(
          (one) => one["type"] === "iframe" && one["browserContextId"] === browserContextId,
        );
        if (frame !== undefined) {
          const { targetId } = frame;
          const attached = await send("Target.attachToTarget", { targetId, flatten: true });
          return createDocument((method, params = {}) =>
            send(method, params, String(attached["sessionId"])),
          );
        }
        await delay(20);
      }
    },
  };
}

type SendToDocument = (method: string, params?: Json) => Promise<Json>;

function createDocument(send: SendToDocument): ScriptedDocument {
  const evaluate = (expression: string) =>
    send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
  return {
    load: async (source) => void (await evaluate(source)),
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

/** Returns the area of the whole page. */
async function wholeOf(sendToPage: (method: string) => Promise<Json>): Promise<Json> {
  const { cssContentSize } = await sendToPage("Page.getLayoutMetrics");
  return { ...(cssContentSize as Json), scale: 1 };
}

/** The URL of a browser's DevTools WebSocket, and the folder of its data. */
export type Browser = { address: string; profile: string };

/** Starts a browser. @param onStart receives a function that ends it */
export async function launch(
  flags: readonly string[],
  onStart: (close: () => Promise<void>) => void,
): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), "deskbell-browser-"));
  const child = spawn(CHROMIUM, [...FLAGS, ...flags, `--user-data-dir=${profile}`], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const gone = once(child, "exit");
  onStart(async () => {
    child.kill("SIGKILL");
    await gone;
    // The processes that Chromium has started may still write for a moment.
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  });
  const timeout = setTimeout(() => child.kill("SIGKILL"), TIMEOUT_MS);
  for await (const line of createInterface({ input: child.stderr })) {
    const found = /^DevTools listening on (\S+)/.exec(line)?.[1];
    if (found === undefined) continue;
    clearTimeout(timeout);
    child.stderr.resume();
    return { address: found, profile };
  }
  throw new Error("Chromium exited before DevTools was ready.");
}

type Json = Record<string, unknown>;
type Connection = {
  send: (method: string, params: Json, sessionId?: string) => Promise<Json>;
  on: (method: string, listener: (params: Json) => void) => void;
};

async function connect(address: string, onOpen: (close: () => void) => void): Promise<Connection> {
  const socket = new WebSocket(address);
  await once(socket, "open");
  onOpen(() => socket.close());
  const pending = new Map<number, PromiseWithResolvers<Json>>();
  const listeners = new Map<string, (params: Json) => void>();
  socket.addEventListener("message", ({ data }) => {
    const { id, result, error, method, params } = JSON.parse(String(data)) as {
      id?: number;
      result: Json;
      error?: { message: string };
      method?: string;
      params: Json;
    };
    listeners.get(method ?? "")?.(params);
    if (error) pending.get(id ?? 0)?.reject(new Error(error.message));
    else pending.get(id ?? 0)?.resolve(result);
  });
  let lastId = 0;
  return {
    on: (method, listener) => void listeners.set(method, listener),
    send(method, params, sessionId) {
      const reply = Promise.withResolvers<Json>();
      lastId += 1;
      pending.set(lastId, reply);
      socket.send(JSON.stringify({ id: lastId, method, params, sessionId }));
      return reply.promise;
    },
  };
}

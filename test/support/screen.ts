import { PassThrough } from "node:stream";
import xterm from "@xterm/headless";

/** A terminal that has no window: what was written to it, as a person would see it, and what else that did to it. */
export function createScreen(columns: number, rows: number) {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    allowProposedApi: true,
    scrollback: 0,
    convertEol: true,
  });
  const deeds: string[] = [];
  terminal.onTitleChange((title) => void deeds.push(`title ${title}`));
  terminal.onBell(() => void deeds.push("bell"));
  // Links, clipboard and whatever else can be asked of a terminal that way.
  for (let code = 0; code < 2000; code++)
    terminal.parser.registerOscHandler(code, (data) => {
      deeds.push(`OSC ${code} ${data}`);
      return false;
    });
  const lineOf = (y: number): string =>
    terminal.buffer.active.getLine(y)?.translateToString(true) ?? "";
  return {
    terminal,
    /** Titles, bells, links, clipboards. */
    deeds,
    write: (text: string | Uint8Array): Promise<void> =>
      new Promise((resolve) => terminal.write(text, resolve)),
    text: (): string => Array.from({ length: terminal.rows }, (_, y) => lineOf(y)).join("\n"),
    cursor: () => ({ x: terminal.buffer.active.cursorX, y: terminal.buffer.active.cursorY }),
    modes: () => ({ ...terminal.modes, buffer: terminal.buffer.active.type }),
  };
}

/** The streams of such a terminal, for a program that wants a TTY. */
export function createTty({ terminal }: ReturnType<typeof createScreen>) {
  const stdout = Object.assign(new PassThrough(), {
    isTTY: true,
    columns: terminal.cols,
    rows: terminal.rows,
  });
  let bytes = 0;
  stdout.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    terminal.write(chunk);
  });
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: () => stdin,
    ref: () => stdin,
    unref: () => stdin,
  });
  const resize = (columns: number, rows: number) => {
    terminal.resize(columns, rows);
    Object.assign(stdout, { columns, rows });
    stdout.emit("resize");
  };
  return {
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    type: (keys: string) => void stdin.write(keys),
    resize,
    bytes: () => bytes,
  };
}

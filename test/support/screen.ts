import { PassThrough } from "node:stream";
import xterm from "@xterm/headless";

/**
 * A headless terminal, which shows what a user would see and records side effects of the output.
 */
export function createScreen(columns: number, rows: number) {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    allowProposedApi: true,
    scrollback: 0,
    convertEol: true,
    // Hostile output makes the parser log an error for each sequence.
    logLevel: "off",
  });
  const sideEffects: string[] = [];
  terminal.onTitleChange((title) => void sideEffects.push(`title ${title}`));
  terminal.onBell(() => void sideEffects.push("bell"));
  // OSC sequences set links, the clipboard, colours and more.
  for (let code = 0; code < 2000; code++)
    terminal.parser.registerOscHandler(code, (data) => {
      sideEffects.push(`OSC ${code} ${data}`);
      return false;
    });
  const lineOf = (y: number): string =>
    terminal.buffer.active.getLine(y)?.translateToString(true) ?? "";
  return {
    terminal,
    /** Changes of the title or the clipboard, bells, links. */
    sideEffects,
    write: (text: string | Uint8Array): Promise<void> =>
      new Promise((resolve) => terminal.write(text, resolve)),
    text: (): string => Array.from({ length: terminal.rows }, (_, y) => lineOf(y)).join("\n"),
    cursor: () => ({ x: terminal.buffer.active.cursorX, y: terminal.buffer.active.cursorY }),
    modes: () => ({ ...terminal.modes, buffer: terminal.buffer.active.type }),
  };
}

/** The streams of a headless terminal, for a program that requires a TTY. */
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

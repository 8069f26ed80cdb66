import { render, Box, Text, useInput, usePaste, useWindowSize } from "ink";
import { type StyledLine, isSameLine } from "./views/cells.ts";
import { startSession, type Session, type SessionDeps } from "./session.ts";
import { memo, useEffect } from "react";
import { type Key, parseKeys } from "./state/keys.ts";

/** The time between two checks whether the data have changed. */
const TICK_MS = 250;
const CRASH_EVENTS = ["uncaughtException", "unhandledRejection"] as const;

export type TerminalStreams = { stdin: NodeJS.ReadStream; stdout: NodeJS.WriteStream };

export type LiveRun = {
  /** Resolves when the user quits, with "SIGINT" for Ctrl-C; rejects if the view fails. */
  ended: Promise<"SIGINT" | null>;
  close: () => void;
};

export function runLiveView(
  deps: Omit<SessionDeps, "size" | "draw" | "copy" | "quit">,
  { stdin, stdout }: TerminalStreams,
): LiveRun {
  const { promise, resolve, reject } = Promise.withResolvers<"SIGINT" | null>();
  let lines: readonly StyledLine[] = [];
  let session: Session | undefined;
  const onKeys = (keys: readonly string[]) => session?.press(keys);
  const onPaste = (text: string) => session?.paste(text);
  const onResize = () => session?.resize();
  const view = () => (
    <LiveView lines={lines} onKeys={onKeys} onPaste={onPaste} onResize={onResize} />
  );

  // The session draws its first frame before Ink renders; Ink begins with the lines of this frame.
  let draw = (next: readonly StyledLine[]) => void (lines = next);
  session = startSession({
    ...deps,
    // A serial line or a container's terminal may report a size of 0.
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    draw: (next) => draw(next),
    // OSC 52 sets the clipboard of the user's terminal, even over SSH. Base64 has no character that
    // ends the sequence.
    copy: (text) => void stdout.write(`\x1b]52;c;${Buffer.from(text).toString("base64")}\x07`),
    quit: resolve,
  });
  const instance = render(view(), {
    stdin,
    stdout,
    interactive: true,
    alternateScreen: true,
    incrementalRendering: true,
    exitOnCtrlC: false,
    patchConsole: false,
  });
  draw = (next) => {
    lines = next;
    instance.rerender(view());
  };
  instance.waitUntilExit().catch(reject);

  const timer = setInterval(session.tick, TICK_MS);
  const close = () => {
    clearInterval(timer);
    for (const event of CRASH_EVENTS) process.off(event, close);
    session.end();
    instance.unmount();
  };
  // The alternate screen is closed first, because an error that is printed on it is lost.
  for (const event of CRASH_EVENTS) process.prependListener(event, close);
  return { ended: promise, close };
}

type Props = {
  lines: readonly StyledLine[];
  onKeys: (keys: readonly Key[]) => void;
  onPaste: (text: string) => void;
  onResize: () => void;
};

export function LiveView({ lines, onKeys, onPaste, onResize }: Props) {
  const { columns, rows } = useWindowSize();
  useInput((input, key) => onKeys(parseKeys(input, key)));
  usePaste(onPaste);
  useEffect(onResize, [columns, rows, onResize]);
  return (
    <Box flexDirection="column">
      {lines.map((line, i) => (
        <Row key={i} line={line} />
      ))}
    </Box>
  );
}

const Row = memo(
  ({ line }: { line: StyledLine }) => (
    <Text wrap="truncate">
      {line.map(({ text, colour, bold = false, dim = false, inverse = false }, i) => (
        <Text
          key={i}
          bold={bold}
          dimColor={dim}
          inverse={inverse}
          {...(colour === undefined ? {} : { color: colour })}
        >
          {text}
        </Text>
      ))}
    </Text>
  ),
  (before, after) => isSameLine(before.line, after.line),
);

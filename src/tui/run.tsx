import { render } from "ink";
import type { StyledLine } from "./cells.ts";
import { LiveView } from "./live-view.tsx";
import { startSession, type Session, type SessionDeps } from "./session.ts";

/** How often the file is looked at: no more frames a second than a person can read. */
const TICK_MS = 250;
const BUGS = ["uncaughtException", "unhandledRejection"] as const;

export type Terminal = { stdin: NodeJS.ReadStream; stdout: NodeJS.WriteStream };

export type LiveRun = {
  /** Settles when the person has quit; rejects when the view itself broke. */
  ended: Promise<"SIGINT" | null>;
  /** Gives the terminal back as it was. */
  close: () => void;
};

/** Takes the terminal over and shows the view in it. */
export function runLiveView(
  world: Omit<SessionDeps, "size" | "draw" | "copy" | "quit">,
  { stdin, stdout }: Terminal,
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

  let draw = (next: readonly StyledLine[]) => void (lines = next);
  session = startSession({
    ...world,
    // A serial line, or a container's, knows no size and says 0.
    size: () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 }),
    draw: (next) => draw(next),
    // The terminal's own clipboard; only ids of ours ever get there.
    copy: (id) => void stdout.write(`\x1b]52;c;${Buffer.from(id).toString("base64")}\x07`),
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
    for (const bug of BUGS) process.off(bug, close);
    session.end();
    instance.unmount();
  };
  // Before whoever prints it: on the alternate screen nobody would ever read it.
  for (const bug of BUGS) process.prependListener(bug, close);
  return { ended: promise, close };
}

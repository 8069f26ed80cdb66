/** Renamed commands of deskbell 0.1. They work until 0.3; no help or completion lists them. */
const COMMANDS: Record<string, string> = {
  "businesses remove": "businesses delete",
  "menu set": "menu update",
  orders: "ticket-orders",
  "service systemd": "systemd-unit",
  "services set": "services update",
  "time-off add": "time-off create",
  "time-off remove": "time-off delete",
  "webhooks add": "webhooks create",
  "webhooks set": "webhooks update",
};

/** Flags that were renamed, each with the command that it belongs to; "" is every command. */
const FLAGS: readonly [command: string, former: string, current: string][] = [
  ["", "--no-input", "--no-prompt"],
  ["backup", "--with-key", "--master-key-out"],
  ["bookings create", "--from", "--input"],
  ["reservations create", "--from", "--input"],
  ["seed", "--again", "--overwrite"],
  ["seed", "--size", "--generate"],
  ["ticket-orders", "--event", "--public-event"],
  ["ticket-orders create", "--from", "--input"],
  ["tickets list", "--event", "--public-event"],
  ["webhooks receive", "--status", "--status-code"],
];

/** Global options that take a value, which is not a command. */
const VALUE_OPTIONS = ["--data-dir", "--business"];

export type Renamed = {
  args: string[];
  notices: string[];
};

export function renameFormerSpellings(line: readonly string[]): Renamed {
  const notices: string[] = [];
  const note = (former: string, current: string) =>
    void notices.push(`'${former}' is now '${current}'. The old spelling works until 0.3.`);

  const args = renameCommand(line, note);
  const words = commandPositions(args).map((at) => args[at]);
  const path = `${words.join(" ")} `;
  const flags = FLAGS.filter(([command]) => command === "" || path.startsWith(`${command} `));
  const end = args.includes("--") ? args.indexOf("--") : args.length;
  const renamed = args.map((arg, at) => {
    const [, name, value = ""] = /^(--[\w-]+)(=.*)?$/s.exec(arg) ?? [];
    const [, former, current] = flags.find(([, former]) => at < end && former === name) ?? [];
    if (former === undefined || current === undefined) return arg;
    note(former, current);
    return `${current}${value}`;
  });
  return { args: renamed, notices };
}

type Note = (former: string, current: string) => void;

function renameCommand(args: readonly string[], note: Note): string[] {
  const positions = commandPositions(args);
  const words = positions.map((at) => args[at] ?? "");
  const former = [words.join(" "), words[0] ?? ""].find((path) => path in COMMANDS);
  const current = former === undefined ? undefined : COMMANDS[former];
  if (former === undefined || current === undefined) return [...args];
  note(former, current);
  const [first, second] = positions.slice(0, former.split(" ").length);
  return args.flatMap((arg, at) =>
    at === first ? current.split(" ") : at === second ? [] : [arg],
  );
}

/** The first two words that are neither an option nor its value: the noun and the verb. */
function commandPositions(args: readonly string[]): number[] {
  const positions: number[] = [];
  for (let at = 0; at < args.length && positions.length < 2; at++) {
    const arg = args[at] ?? "";
    if (VALUE_OPTIONS.includes(arg)) at += 1;
    else if (!arg.startsWith("-")) positions.push(at);
  }
  return positions;
}

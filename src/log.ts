import { safe } from "./domain/safe-text.ts";

export type LogFormat = "auto" | "json" | "pretty";
export type LogLevel = "info" | "warn" | "error";
export type LogFields = Record<string, string | number | boolean | null | undefined>;
export type Log = (level: LogLevel, message: string, fields?: LogFields) => void;

/** One line a call on stderr: JSON, or words where a person is watching. Values may be untrusted; messages are ours. */
export function createLog(format: LogFormat, now: () => number): Log {
  const pretty = format === "pretty" || (format === "auto" && process.stderr.isTTY);
  const write = pretty ? prettyLine : jsonLine;
  return (level, message, fields = {}) => {
    const shown = Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === "string" ? safe(value) : value,
    ]);
    process.stderr.write(`${write(new Date(now()).toISOString(), level, message, shown as [string, unknown][])}\n`);
  };
}

const prettyLine = (time: string, level: string, message: string, fields: [string, unknown][]): string =>
  [time.slice(11, 19), level.padEnd(5), message, ...fields.map(([name, value]) => `${name}=${value}`)].join(" ");

const jsonLine = (time: string, level: string, message: string, fields: [string, unknown][]): string =>
  JSON.stringify({ time, level, message, ...Object.fromEntries(fields) });

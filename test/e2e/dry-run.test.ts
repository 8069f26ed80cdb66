import { once } from "node:events";
import { spawn, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, onTestFinished, test } from "vitest";
import { createTempFolder, createTerminal } from "../support/cli.ts";
import { PROGRAM } from "../support/program.ts";

/** The program of util-linux that runs another one in a pseudo-terminal. */
const PTY = "script";
const hasPty = spawnSync(PTY, ["--version"]).status === 0;
const NOT_JSON_LINES = 8000;
const DAY = Temporal.Now.plainDateISO("Europe/Zurich").add({ days: 7 }).toString();
const CATALOG = `
catalog: 1
business: { slug: joes, name: Joe's, timezone: Europe/Zurich, currency: CHF }
hours: [{ days: [mon-sun], start: "08:00", end: "23:00" }]
services: [{ key: cut, name: Cut, durationMin: 30, price: 40.00 }]
`;

// Node writes to a terminal synchronously, so a terminal that was stopped with Ctrl-S stops the
// program. `script` runs the program on such a terminal while nobody reads its own output.
test.skipIf(!hasPty)(
  "other commands can write while a dry run waits for its terminal to show its output",
  async () => {
    const { deskbell, dataDir } = createTerminal();
    expect(await deskbell("catalog apply -", CATALOG)).toMatchObject({ code: 0 });
    const input = join(createTempFolder(), "bookings.ndjson");
    const booking = JSON.stringify({ service: "cut", start: `${DAY}T10:00` });
    writeFileSync(input, `${booking}\n${"no JSON\n".repeat(NOT_JSON_LINES)}`);
    const words = [...PROGRAM.command, "--data-dir", dataDir, "bookings", "create"];
    const line = `${words.join(" ")} --input ${input} --dry-run --quiet`;
    const child = spawn(PTY, ["-qec", line, "/dev/null"]);
    onTestFinished(() => void child.kill("SIGKILL"));
    const exited = once(child, "exit");
    // The stream reads as much as its buffer holds, and then waits until the test reads.
    await once(child.stdout, "readable");
    const db = new Database(join(dataDir, "deskbell.db"), { timeout: 1000 });
    onTestFinished(() => void db.close());
    db.exec("BEGIN IMMEDIATE; ROLLBACK");
    expect(child.exitCode).toBeNull();
    let output = "";
    child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
    expect(await exited).toEqual([6, null]);
    expect(output).toMatch(/^1\tok\tbkg_/);
    expect(output.match(/invalid_json/g)).toHaveLength(NOT_JSON_LINES);
  },
);

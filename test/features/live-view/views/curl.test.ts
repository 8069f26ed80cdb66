import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { curlCommand } from "../../../../src/features/live-view/views/curl.ts";
import type { DeliveryDetail } from "../../../../src/features/live-view/state/snapshot.ts";

const detail = (url: string, body: string): DeliveryDetail => ({
  takenAt: 0,
  row: {
    id: "dlv_1",
    url,
    eventId: "evt_1",
    eventType: "service.updated",
    sequence: 7,
    attemptCount: 3,
  } as DeliveryDetail["row"],
  event: { body: Buffer.from(body), createdAt: 0 } as DeliveryDetail["event"],
  attempts: [],
});

/** Returns the arguments that a shell passes to curl. */
const argumentsOf = (lines: readonly string[]): string[] =>
  execFileSync("sh", ["-c", `curl() { printf '%s\\0' "$@"; }\n${lines.join("\n")}`])
    .toString()
    .split("\0")
    .slice(0, -1);

const TEXT = `it's $(id) \`id\` "x" \\ é漢🍣 \u001b[2J\u009b ! ${"long ".repeat(40)}`;

test.each([Infinity, 80, 50])(
  "a shell passes URL, headers and body unchanged from the curl command folded at %d columns",
  (width) => {
    const url = `https://example.com/hook/${"a".repeat(100)}?q='$(id)'{1,2}[3]&x=é`;
    const lines = curlCommand(detail(url, JSON.stringify({ text: TEXT })), width);
    expect(lines.join("\n")).toMatch(/^[\n\x20-\x7e]*$/);
    expect(lines.every((line) => line.length <= width)).toBe(true);
    const words = argumentsOf(lines);
    expect(words.slice(0, 4)).toEqual(["--include", "--globoff", "--url", new URL(url).href]);
    expect(words).toContain("X-Service-Event: service.updated");
    expect(words).toContain("X-Service-Signature: t=0,v1=SIGNATURE");
    expect(JSON.parse(words.at(-1)!)).toEqual({ text: TEXT });
  },
);

test("a body of 200 KB is folded into lines", () => {
  const lines = curlCommand(detail("https://x/", JSON.stringify("'".repeat(200_000))), 80);
  expect(lines.length).toBeGreaterThan(1000);
});

import { expect, test } from "vitest";
import { parseServers } from "../../src/domain/servers-file.ts";
import { captureIssues } from "../support/use-case.ts";

test("a servers file has a name and one or two addresses on each line", () => {
  const text =
    "# all servers\r\n\r\neast  http://10.0.0.11:4100\r\nwest http://[::1]:4100/ http://west-2:80 # standby\r\n";
  expect(parseServers("servers.txt", text)).toEqual([
    { name: "east", addresses: ["http://10.0.0.11:4100"] },
    { name: "west", addresses: ["http://[::1]:4100", "http://west-2"] },
  ]);
});

test("every invalid line of a servers file is reported", () => {
  const lines = [
    "east http://10.0.0.11:4100",
    "east http://10.0.0.12:4100",
    "North; http://10.0.0.13:4100",
    "south",
    "south http://a http://b http://c",
    "south https://10.0.0.14:4100",
    "south http://10.0.0.14:4100/v1",
    "south http://token@10.0.0.14:4100",
    "south http://{a};b:4100",
    "south http://10.0.0.14 http://10.0.0.11:4100",
    "south http://10.0.0.14 http://10.0.0.14",
  ];
  const issues = captureIssues(() => parseServers("servers.txt", lines.join("\n")));
  expect(issues.map(({ place }) => place)).toEqual(
    lines.slice(1).map((_, i) => `servers.txt:${i + 2}`),
  );
  expect(issues[0]?.detail).toBe("'east' is listed twice.");
  expect(issues.at(-1)?.detail).toBe("'http://10.0.0.14' is listed twice.");
});

test("a servers file without servers is invalid", () =>
  expect(captureIssues(() => parseServers("servers.txt", "# none\n"))).toMatchObject([
    { detail: "lists no server." },
  ]));

import { expect, test } from "vitest";
import {
  assertNotShared,
  PROXY_FORMATS,
  readProxyMap,
  writeProxyMap,
} from "../../../src/features/servers/rules.ts";
import { readGuide } from "../../../src/platform/assets.ts";
import { blockOf } from "../../support/proxies.ts";
import { captureError } from "../../support/use-case.ts";

const server = (name: string, addresses: string[], businesses: string[]) => ({
  name,
  addresses,
  businesses,
});
const EAST = server("east", ["http://10.0.0.11:4100"], ["salon-aurora", "default"]);
const WEST = server("west", ["http://10.0.0.12", "http://[::1]:4100"], ["a".repeat(60)]);

test("a business on two servers is an error that names both servers", () => {
  expect(captureError(() => assertNotShared([EAST, WEST]))).toBe("no error: undefined");
  const other = server("north", ["http://10.0.0.13"], ["cafe-lumen", "salon-aurora"]);
  expect(captureError(() => assertNotShared([EAST, WEST, other]))).toBe(
    "state_refuses: The business 'salon-aurora' is on the servers east and north.",
  );
});

test("the map for nginx names the size of its hash table only if it has many rows", () => {
  const many = Array.from({ length: 3000 }, (_, i) => `shop-${i}`);
  expect(writeProxyMap("nginx", [EAST])).not.toContain("map_hash");
  const large = writeProxyMap("nginx", [server("east", ["http://10.0.0.11:4100"], many)]);
  expect(large).toContain("\nmap_hash_max_size 8192;\n");
  expect(readProxyMap("nginx", "deskbell.map", large).get("east")).toEqual(many);
});

// The test reverse-proxy.test.ts runs the maps in both proxies.
test.each(PROXY_FORMATS)(
  "the map for %s has a regular expression for a slug that is reserved or too long",
  (format) => {
    const lines = writeProxyMap(format, [EAST, WEST])
      .split("\n")
      .map((line) => line.trim());
    expect(lines).toContain(
      format === "caddy" ? "salon-aurora east" : "salon-aurora deskbell_east;",
    );
    expect(lines).toContain(format === "caddy" ? "~^default$ east" : "~^default$ deskbell_east;");
    expect(lines.filter((line) => line.startsWith("~^aaa"))).toHaveLength(1);
    expect(lines.filter((line) => line.includes("10.0.0.12:80"))).toHaveLength(2);
  },
);

test.each(PROXY_FORMATS)("an edited row in the map for %s is an error", (format) => {
  const map = writeProxyMap(format, [EAST, WEST]);
  expect(readProxyMap(format, "deskbell.map", map).get("west")).toEqual(WEST.businesses);
  for (const edit of ["salon aurora", "salon-aurora;", "# salon-aurora"])
    expect(
      captureError(() => readProxyMap(format, "deskbell.map", map.replace("salon-aurora", edit))),
    ).toMatch(`invalid_input: deskbell.map has a row that proxy-map did not write: ${edit}`);
});

test("the map for Caddy does not treat a server or standby as unreachable after a failed request", () => {
  const map = writeProxyMap("caddy", [EAST, WEST]);
  const [, east = "", west = "", all = ""] = map.split("reverse_proxy ");
  expect([east, west].filter((block) => block.includes("fail_duration"))).toEqual([]);
  expect(west).toContain("health_uri /healthz");
  expect(east).not.toContain("health_uri");
  expect(all).toContain("fail_duration");
});

test("the proxies give up within a second if the machines of a server and its standby are off", () => {
  const configurations = {
    caddy: writeProxyMap("caddy", [WEST]),
    nginx: blockOf("more-than-one-machine", "nginx"),
  };
  const waitIn = (format: keyof typeof configurations, setting: string): number =>
    Number(new RegExp(`${setting} (\\d+)ms`).exec(configurations[format])?.[1]);
  const dial = waitIn("caddy", "dial_timeout");
  // Caddy begins no attempt after `lb_try_duration`, so the first attempt must have failed by then.
  // The second attempt can take the whole timeout.
  expect(dial).toBeLessThan(waitIn("caddy", "lb_try_duration"));
  expect(2 * dial + waitIn("caddy", "lb_try_interval")).toBeLessThan(1000);
  expect(2 * waitIn("nginx", "proxy_connect_timeout")).toBeLessThan(1000);
  // An idle connection to a machine that is off would wait for minutes.
  expect(configurations.caddy).toContain("keepalive off");
});

test("both proxies ask partners of an unreachable server to wait the minute that the guide names", () => {
  const [, guided = ""] = /`Retry-After: (\d+)`/.exec(readGuide("more-than-one-machine")) ?? [];
  expect(guided).toBe("60");
  expect(writeProxyMap("caddy", [EAST])).toContain(
    `header @deskbell_problem Retry-After ${guided}\n`,
  );
  expect(blockOf("more-than-one-machine", "nginx")).toContain(
    `add_header Retry-After ${guided} always;`,
  );
});

import { createRequire } from "node:module";
import { describe, expect, test } from "vitest";
import {
  BLOCKED_PORTS,
  type UrlPolicy,
  isPublicAddress,
  unsafeAddressError,
  parseTarget,
} from "../../../src/domain/webhooks/safe-url.ts";

const STRICT: UrlPolicy = { allowHttp: false, allowPrivate: [], trusted: false };
const TRUSTED: UrlPolicy = { ...STRICT, trusted: true };
const LOCAL: UrlPolicy = {
  allowHttp: true,
  allowPrivate: ["127.0.0.0/8", "fd00::/8"],
  trusted: false,
};

test("the blocked ports from 1024 on are those of the Fetch standard", () => {
  const { badPorts } = createRequire(import.meta.url)("undici/lib/web/fetch/constants.js") as {
    badPorts: string[];
  };
  expect([...BLOCKED_PORTS]).toEqual(badPorts.map(Number).filter((port) => port >= 1024));
});

describe("isPublicAddress", () => {
  test.each([
    "1.1.1.1",
    "93.184.215.14",
    "172.15.0.1",
    "172.32.0.1",
    "100.63.0.1",
    "100.128.0.1",
    "223.255.255.255",
  ])("the address %s is public", (address) => expect(isPublicAddress(address)).toBe(true));
  test.each([
    "2606:4700:4700::1111",
    "2a00:1450:4001:80e::200e",
    "::ffff:1.1.1.1",
    "64:ff9b::101:101",
    "2002:101:101::1",
  ])("the IPv6 address %s is public", (address) => expect(isPublicAddress(address)).toBe(true));
  test.each([
    ..."0.0.0.0 0.1.2.3 10.0.0.1 100.64.0.1 127.0.0.1 127.255.255.255 169.254.169.254 172.16.0.1 172.31.255.255".split(
      " ",
    ),
    ..."192.0.0.1 192.0.2.1 192.31.196.1 192.52.193.1 192.88.99.1 192.168.1.1 192.175.48.1 198.18.0.1".split(
      " ",
    ),
    ..."198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.1.1.1 240.0.0.1 255.255.255.255 168.63.129.16".split(
      " ",
    ),
    ...":: ::1 ::7f00:1 fe80::1 fec0::1 fc00::1 fd12:3456::1 ff02::1 100::1 5f00::1 4000::1 2001:db8::1".split(
      " ",
    ),
    ..."2001::1 2001:10::1 2001:20::1 2001:2::1 3fff::1 64:ff9b:1::1 ::ffff:0:1.1.1.1".split(" "),
    ..."::ffff:127.0.0.1 ::ffff:a9fe:a9fe 64:ff9b::7f00:1 64:ff9b::10.0.0.1 2002:7f00:1::1 2002:c0a8:101::1".split(
      " ",
    ),
    ..."nonsense 2606:4700::1111/64".split(" "),
  ])("the address %s is not public", (address) => expect(isPublicAddress(address)).toBe(false));
});

describe("a URL without special permissions", () => {
  test.each([
    "https://example.com/hook",
    "https://example.com:8443/a?b=c",
    "https://1.1.1.1/",
    "https://example.com./",
  ])("the URL %s is accepted without permissions", (url) =>
    expect(parseTarget(url, STRICT)).not.toHaveProperty("reason"),
  );
  test.each([
    ["http://example.com/", /http/, /--allow-private.*--allow-http/],
    ["ftp://example.com/", /not supported/, /https/],
    ["javascript:alert(1)", /not supported/, /https/],
    ["example.com/hook", /not a URL/, /in full/],
    ["https://", /not a URL/, /in full/],
    ["https://user:pw@example.com/", /password/, /remove it/],
    ["https://user@example.com/", /password/, /remove it/],
    [`https://example.com/${"a".repeat(2048)}`, /2048/, /shorter/],
    ["https://localhost/", /private network/, /--allow-private/],
    ["https://till/", /private network/, /--allow-private/],
    ["https://till./", /private network/, /--allow-private/],
    ["https://till.local/", /private network/, /--allow-private/],
    ["https://till.LAN./", /private network/, /--allow-private/],
    ["https://a.localhost/", /private network/, /--allow-private/],
    ["https://metadata.google.internal/", /private network/, /--allow-private/],
    ["https://nas.home/", /private network/, /--allow-private/],
    ["https://nas.home.arpa/", /private network/, /--allow-private/],
    ["https://127.0.0.1/", /127\.0\.0\.1 is not a public/, /--allow-private <cidr>/],
    ["https://2130706433/", /127\.0\.0\.1 is not a public/, /--allow-private/],
    ["https://0x7f.1/", /127\.0\.0\.1 is not a public/, /--allow-private/],
    ["https://0177.0.0.1/", /127\.0\.0\.1 is not a public/, /--allow-private/],
    ["https://①②⑦.0.0.1/", /127\.0\.0\.1 is not a public/, /--allow-private/],
    ["https://[::1]/", /::1 is not a public/, /--allow-private/],
    ["https://[::ffff:127.0.0.1]/", /::ffff:7f00:1 is not a public/, /--allow-private/],
    ["https://[64:ff9b::a9fe:a9fe]/", /is not a public/, /--allow-private/],
  ])("the URL %s is rejected with a reason and a fix", (url, reason, fix) => {
    const unsafe = parseTarget(url, STRICT);
    if (!("reason" in unsafe)) return expect.unreachable("The URL is accepted.");
    expect(unsafe.reason).toMatch(reason);
    expect(`${unsafe.fix}, or ${unsafe.howToAllow}`).toMatch(fix);
    // A fix for partners names no command.
    expect(unsafe.fix).not.toMatch(/--/);
  });

  test("a name with one private address among public ones is rejected", () => {
    expect(unsafeAddressError("example.com", ["1.1.1.1", "2606:4700::1"], STRICT)).toBeUndefined();
    expect(unsafeAddressError("example.com", ["1.1.1.1", "10.0.0.1"], STRICT)?.reason).toMatch(
      /resolves to 10\.0\.0\.1/,
    );
  });
});

describe("a URL that the operator allows", () => {
  test.each([
    "http://till.local/",
    "http://localhost:3000/",
    "http://192.168.1.20/",
    "https://[::1]/",
    "http://till/",
  ])("the URL %s is accepted for a trusted endpoint", (url) =>
    expect(parseTarget(url, TRUSTED)).not.toHaveProperty("reason"),
  );
  test.each(["ftp://till.local/", "http://user:pw@till.local/"])(
    "the URL %s is rejected even for a trusted endpoint",
    (url) => expect(parseTarget(url, TRUSTED)).toHaveProperty("reason"),
  );
  test.each([
    "http://127.0.0.1/",
    "https://127.9.9.9/",
    "http://[::ffff:127.0.0.1]/",
    "http://[fd00::1]/",
    "http://till/",
  ])("the URL %s is accepted when its address range is allowed", (url) =>
    expect(parseTarget(url, LOCAL)).not.toHaveProperty("reason"),
  );
  test.each(["http://10.0.0.1/", "http://[::1]/", "http://[fe80::1]/"])(
    "the URL %s is rejected when only other address ranges are allowed",
    (url) => expect(parseTarget(url, LOCAL)).toHaveProperty("reason"),
  );
  test("a private host name is accepted only if all of its addresses are allowed", () => {
    expect(unsafeAddressError("till", ["127.0.0.1"], LOCAL)).toBeUndefined();
    expect(unsafeAddressError("till", ["127.0.0.1", "10.0.0.1"], LOCAL)?.reason).toMatch(
      /10\.0\.0\.1/,
    );
  });
});

import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { errorInWords } from "../../src/domain/errors.ts";

const failed = (code: string, message: string, options?: ErrorOptions) =>
  Object.assign(new Error(message, options), { code });

test.each([
  [failed("ECONNREFUSED", ""), "connection refused"],
  [failed("ESOCKET", "connect ECONNREFUSED 127.0.0.1:25"), "connection refused"],
  [new TypeError("fetch failed", { cause: failed("ENOTFOUND", "x") }), "unknown host name"],
  [failed("CERT_HAS_EXPIRED", "certificate has expired"), "its certificate has expired"],
  ["DEPTH_ZERO_SELF_SIGNED_CERT", "its certificate is self-signed"],
  ["EMFILE", "too many open files"],
  ["UND_ERR_NEW", "the connection failed (UND_ERR_NEW)"],
  [
    failed(
      "ESOCKET",
      "4093022DD07F0000:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:../deps/openssl/x.c:78:\n",
    ),
    "it does not support TLS on this port",
  ],
  [
    "4093022DD07F0000:error:0A000410:SSL routines:ssl3_read_bytes:ssl/tls alert handshake failure:x.c:9:",
    "TLS failed: ssl/tls alert handshake failure",
  ],
  ["HTTP 500", "HTTP 500"],
  ["the response is not valid HTTP", "the response is not valid HTTP"],
  [failed("EAUTH", "Invalid login: 535 NO"), "Invalid login: 535 NO"],
  [failed("EIO", "EIO: i/o error, read"), "i/o error, read"],
  [failed("ENOENT", "spawn rclone ENOENT"), "spawn rclone no such file or directory"],
  [new TypeError("x is not a function"), "x is not a function"],
])("the error %o is described as '%s'", (error, words) => {
  expect(errorInWords(error)).toBe(words);
});

test("an error of Node is described with its path and without its code", async () => {
  expect(() => readFileSync("/no/such")).toThrow(
    expect.toSatisfy(
      (error) => errorInWords(error) === "no such file or directory, open '/no/such'",
    ),
  );
  const error = await new Promise((resolve) => connect(1, "127.0.0.1").on("error", resolve));
  expect(errorInWords(error)).toBe("connection refused");
});

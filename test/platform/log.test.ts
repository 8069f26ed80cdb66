import { expect, test, vi } from "vitest";
import { generateApiKey } from "../../src/domain/api-key.ts";
import { generateSecret } from "../../src/domain/webhooks/webhook-post.ts";
import { systemRandom } from "../../src/app/runtime.ts";
import { createLog, type LogFields, type LogFormat } from "../../src/platform/log.ts";

const isatty = vi.hoisted(() => vi.fn<(fd: number) => boolean>(() => false));
vi.mock("node:tty", () => ({ isatty }));

const FORMATS: LogFormat[] = ["pretty", "json"];

function written(format: LogFormat, message: string, fields?: LogFields): string {
  let text = "";
  const write = vi
    .spyOn(process.stderr, "write")
    .mockImplementation((chunk) => (text += String(chunk)) !== "");
  createLog(format, () => 0)("warn", message, fields);
  write.mockRestore();
  return text;
}

test.each([
  { where: "a terminal", isTerminal: true, format: "pretty" },
  { where: "a file or a service manager", isTerminal: false, format: "json" },
] as const)("the log is $format if stderr is $where", ({ isTerminal, format }) => {
  isatty.mockImplementationOnce((fd) => isTerminal && fd === 2);
  expect(written("auto", "text", { a: 1 })).toBe(written(format, "text", { a: 1 }));
});

test.each(FORMATS)("a name in a message cannot forge a %s line or move the cursor", (format) => {
  const name = "x'\n12:00:00 info  all is well\r\x1b[2J\x1b]0;owned\x07\u009b2J\u202e\u2066\0";
  const text = written(format, `Webhook endpoint '${name}' fails.`);
  expect(text).toMatch(/^[^\n]+\n$/);
  expect(text.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  expect(text).toContain("␊12:00:00 info");
});

test.each(FORMATS)("the %s log masks keys and signing secrets in every field", (format) => {
  const key = generateApiKey("RESTRICTED", systemRandom);
  const secret = generateSecret(systemRandom);
  const text = written(format, `refused ${key}`, {
    path: `/v1/x:${encodeURIComponent(secret)}:y`,
    twiceEncoded: encodeURIComponent(encodeURIComponent(secret)),
    userAgent: `curl/8 (Bearer ${key}; ${secret})`,
    plain: "/v1/businesses",
  });
  expect(text).not.toContain(key.slice("deskbell_rk_".length));
  for (const part of secret.slice("whsec_".length).split(/[^a-zA-Z0-9]/))
    if (part.length > 3) expect(text).not.toContain(part);
  expect(text).toContain("curl/8 (Bearer deskbell_rk_…; whsec_…)");
  expect(text).toContain("/v1/x:whsec_…:y");
  expect(text).toContain("/v1/businesses");
});

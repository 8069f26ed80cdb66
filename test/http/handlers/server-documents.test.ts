import { expect, test } from "vitest";
import { readConfig } from "../../../src/config.ts";
import { createTestApi } from "../support/api.ts";

const read = (api: ReturnType<typeof createTestApi>, path: string) =>
  api.request(path, { key: null });

test.each([
  { contact: "security@example.com", url: "mailto:security@example.com" },
  { contact: "https://example.com/report", url: "https://example.com/report" },
])("the contact $contact is in security.txt and in the OpenAPI document", async (operator) => {
  const { contact, url } = operator;
  const publicUrl = "https://partners.example/desk";
  const api = createTestApi("salon", undefined, { publicUrl, contact });
  const response = await read(api, "/.well-known/security.txt");
  expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(await response.text()).toBe(
    `Contact: ${url}\nExpires: 2027-05-19T12:00:00.000Z\nPreferred-Languages: en\nCanonical: ${publicUrl}/.well-known/security.txt\n`,
  );
  const { info } = (await (await read(api, "/openapi.json")).json()) as {
    info: { contact: Record<string, string> };
  };
  expect(Object.values(info.contact)).toEqual([url.replace("mailto:", "")]);
});

test("a server without a contact has no security.txt, and the OpenAPI document names none", async () => {
  const api = createTestApi();
  expect((await read(api, "/.well-known/security.txt")).status).toBe(404);
  const { info } = (await (await read(api, "/openapi.json")).json()) as { info: object };
  expect(info).not.toHaveProperty("contact");
});

test.each(["example.com", "http://example.com", "a b@example.com", "javascript:alert(1)"])(
  "the contact %s is refused",
  (contact) =>
    expect(() => readConfig({ contact }, {})).toThrow(
      "--contact must be a mail address or an https URL.",
    ),
);

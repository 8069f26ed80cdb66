import { expect, test } from "vitest";
import { createTestApi, SALON } from "../support/api.ts";

test.each([
  ["", "/docs#problem-route_not_found"],
  ["https://api.example.com/desk", "https://api.example.com/desk/docs#problem-route_not_found"],
])("with the public URL '%s', the type of a problem is %s", async (publicUrl, type) => {
  const api = createTestApi("salon", undefined, { publicUrl });
  expect(await api.requestProblem("/nowhere")).toMatchObject({ type });
});

test("responses with texts in one language have Content-Language", async () => {
  const api = createTestApi();
  const languageOf = async (path: string) =>
    (await api.request(path)).headers.get("content-language");
  const services = `/v1/businesses/${SALON}/services`;
  expect(await languageOf("/nowhere")).toBe("en");
  expect(await languageOf(`${services}?locale=fr`)).toBe("en");
  expect(await languageOf(`${services}?locale=es-MX`)).toBe("es");
  expect(await languageOf(`${services}?includeTranslations=true`)).toBeNull();
});

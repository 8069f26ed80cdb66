import { setImmediate as nextTurn } from "node:timers/promises";
import { applyCatalog } from "../../src/app/catalog/catalog.ts";
import { createKey } from "../../src/app/keys.ts";
import type { Runtime } from "../../src/app/runtime.ts";
import type { ConfigFlags } from "../../src/config.ts";
import type { AuthoredFile } from "../../src/domain/catalog/file/schema.ts";
import { businessId } from "../../src/domain/catalog/object-id.ts";
import { publishPage } from "../../src/features/public-pages/publish.ts";
import type { Preset } from "../../src/platform/assets.ts";
import { createTestApi } from "../http/support/api.ts";
import { createTestApp } from "./app.ts";
import { createTestRuntime } from "./test-runtime.ts";

const LEGAL = {
  privacyUrl: "https://shop.example/privacy",
  imprintUrl: "https://shop.example/imprint",
};

/** Serves the pages of a sample business. */
export function publishSample(preset: Preset, flags: ConfigFlags = {}) {
  const api = createTestApi(preset, undefined, flags);
  const [{ slug } = { slug: "" }] = api.store.businesses.list();
  publishPage(api, slug);
  const get = (path: string, headers: Record<string, string> = {}) =>
    api.request(`/b/${slug}${path}`, { key: null, headers });
  return { api, slug, get };
}

const ANYTHING = { prune: true, confirmed: true, allowMassDelete: true } as const;

type Business = NonNullable<AuthoredFile["business"]>;

/** Applies a file whose business has a public page, and creates a key for the API. */
export function publishFile(rt: Runtime, file: AuthoredFile) {
  const { slug } = file.business as Business;
  const business = {
    address: "Main Street 1",
    ...file.business,
    legal: LEGAL,
    publicPage: file.business?.publicPage ?? { enabled: true },
  };
  const text = JSON.stringify({ ...file, business });
  applyCatalog(rt, [{ name: "file.json", text }], { ...ANYTHING, seedingAt: rt.now() });
  const { secret } = createKey(rt, {
    businessId: businessId(slug),
    name: "reader",
    kind: "SECRET",
    scopes: ["services.read"],
    limitMinute: 1_000_000,
    limitHour: 1_000_000,
  });
  return { slug, secret };
}

/** Serves the pages of a file, and its API with a key. */
export function servePublished(file: AuthoredFile) {
  const rt = createTestRuntime();
  const app = createTestApp(rt);
  const { slug, secret } = publishFile(rt, file);
  // The server looks for commits once per iteration of the event loop. A request over a socket
  // would come in a new iteration, so this one waits for one, too.
  const request: typeof app.request = async (...args) => {
    await nextTurn();
    await nextTurn();
    return app.request(...args);
  };
  const get = (path: string, headers: Record<string, string> = {}) =>
    request(`/b/${slug}${path}`, { headers });
  const read = async (path: string): Promise<Record<string, unknown>> => {
    const headers = { authorization: `Bearer ${secret}` };
    const response = await request(`/v1/businesses/${slug}${path}`, { headers });
    return (await response.json()) as Record<string, unknown>;
  };
  return { rt, slug, get, read };
}

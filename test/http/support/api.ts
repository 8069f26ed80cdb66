import { setImmediate as nextTurn } from "node:timers/promises";
import { readPreset, type Preset } from "../../../src/platform/assets.ts";
import { applyCatalog } from "../../../src/app/catalog/catalog.ts";
import { createKey, type NewKey } from "../../../src/app/keys.ts";
import { businessId } from "../../../src/domain/catalog/object-id.ts";
import type { ConfigFlags } from "../../../src/config.ts";
import { createTestApp } from "../../support/app.ts";
import type { Runtime } from "../../../src/app/runtime.ts";
import {
  createTestRuntime,
  prepareDatabase,
  type TestRuntime,
} from "../../support/test-runtime.ts";

export const SALON = "salon-aurora";

export type Problem = {
  type: string;
  title: string;
  status: number;
  code: string;
  detail: string;
  requestId: string;
  errors?: { parameter?: string; pointer?: string; code: string; detail: string }[];
  violatedPolicies?: string[];
};

export type TestApi = TestRuntime & {
  /** Sends a request in an event-loop iteration of its own, as a socket would. */
  request: (path: string, init?: RequestInit & { key?: string | null }) => Promise<Response>;
  requestProblem: (path: string, init?: RequestInit & { key?: string | null }) => Promise<Problem>;
  createKey: (fields?: Partial<NewKey>) => { id: string; secret: string };
  /** A secret key of the salon, which `request` sends by default. */
  key: string;
  flush: () => void;
  shutDown: () => void;
};

/** Opens the API over a seeded business, without a socket. */
export function createTestApi(
  preset: Preset = "salon",
  busyTimeoutMs?: number,
  flags: ConfigFlags = {},
): TestApi {
  const database = prepareDatabase(preset, (runtime) => void applyPreset(runtime, preset));
  const rt = createTestRuntime(flags, undefined, busyTimeoutMs, database);
  if (flags.dataDir !== undefined) applyPreset(rt, preset);
  const [{ slug } = { slug: "" }] = rt.store.businesses.list();
  const app = createTestApp(rt);
  const createTestKey = (fields: Partial<NewKey> = {}) => {
    const { key, secret } = createKey(rt, {
      businessId: businessId(slug),
      name: "test",
      kind: "SECRET",
      scopes: [],
      ...fields,
    });
    return { id: key.id, secret };
  };
  const { secret } = createTestKey();
  const request: TestApi["request"] = async (path, { key = secret, ...init } = {}) => {
    // The first turn can still belong to the event-loop iteration of the caller.
    await nextTurn();
    await nextTurn();
    const headers = new Headers(init.headers);
    if (key !== null && !headers.has("authorization"))
      headers.set("authorization", `Bearer ${key}`);
    return app.request(path, { ...init, headers });
  };
  return Object.assign(rt, {
    request,
    requestProblem: async (path: string, init?: Parameters<TestApi["request"]>[1]) =>
      (await (await request(path, init)).json()) as Problem,
    createKey: createTestKey,
    key: secret,
    flush: app.flush,
    shutDown: app.shutDown,
  });
}

export const applyPreset = (rt: Runtime, preset: Preset) =>
  applyCatalog(rt, [{ name: `${preset}.yaml`, text: readPreset(preset) }], { seedingAt: rt.now() });

const HEADER = `catalog: 1\nbusiness: {slug: ${SALON}, name: Salon Aurora, timezone: America/New_York, currency: USD, locale: en, locales: [en, es]}\n`;

/**
 * Applies a catalog file to the salon.
 * @param body the file without its header
 */
export const applyToSalon = (rt: TestRuntime, body: string) =>
  applyCatalog(rt, [{ name: "change.yaml", text: HEADER + body }]);

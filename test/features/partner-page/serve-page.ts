import { onTestFinished } from "vitest";
import { createKey, type NewKey } from "../../../src/app/keys.ts";
import { createEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import { createSendOnce } from "../../../src/delivery/sender.ts";
import { EVENT_TYPES } from "../../../src/domain/events/event-types.ts";
import { businessId } from "../../../src/domain/catalog/object-id.ts";
import { startServer } from "../../../src/http/server.ts";
import { applyPreset, SALON } from "../../http/support/api.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

/** Serves the sample salon at the real time, so that the browser's clock agrees with it. */
export async function servePartnerPage() {
  const rt = createTestRuntime({ allowHttp: true, allowPrivate: ["127.0.0.0/8"] }, Date.now());
  applyPreset(rt, "salon");
  const server = await startServer(rt, {
    host: "127.0.0.1",
    port: 0,
    sendOnce: createSendOnce(rt),
  });
  onTestFinished(() => server.close());
  const createSecret = (fields: Partial<NewKey> = {}) =>
    createKey(rt, {
      businessId: businessId(SALON),
      name: "portal",
      kind: "RESTRICTED",
      scopes: ["services.read", "webhooks.write"],
      limitMinute: 1000,
      ...fields,
    });
  const addEndpoint = (keyId: string, url: string, name = "portal") =>
    createEndpoint(rt, {
      businessId: businessId(SALON),
      keyId,
      name,
      url,
      events: EVENT_TYPES,
      allowPrivate: true,
    });
  return { rt, url: `${server.url}/b/${SALON}/partner`, createSecret, addEndpoint };
}

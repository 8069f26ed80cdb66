import { join } from "node:path";
import { createEndpoint } from "../../src/app/webhooks/endpoints.ts";
import { acquireDaemonLock } from "../../src/store/database/database.ts";
import { createTempFolder, createTerminal } from "./cli.ts";
import { seedShop } from "./shop.ts";
import { createTestRuntime } from "./test-runtime.ts";

/** Creates a shop with one endpoint, and the lock and address of a running daemon. */
export async function createRunningShop() {
  const dataDir = join(createTempFolder(), "data");
  const rt = createTestRuntime({ dataDir });
  seedShop(rt);
  const business = rt.store.businesses.findBySlug("shop");
  if (!business) throw new Error("no shop");
  rt.tx(() => rt.store.daemon.save({ url: "http://127.0.0.1:4100", startedAt: Date.now() }));
  const { endpoint } = await createEndpoint(rt, {
    businessId: business.id,
    keyId: null,
    name: "till",
    url: "http://127.0.0.1:9/",
    events: ["service.updated"],
    allowPrivate: true,
  });
  const lock = acquireDaemonLock(rt.config.databasePath);
  return { rt, business, endpoint, lock, ...createTerminal({ dataDir }) };
}

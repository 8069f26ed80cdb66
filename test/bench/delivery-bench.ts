import { applyCatalog } from "../../src/app/catalog/catalog.ts";
import { getBusiness } from "../../src/app/businesses.ts";
import { createEndpoint } from "../../src/app/webhooks/endpoints.ts";
import { type Config, readConfig } from "../../src/config.ts";
import type { EventDraft } from "../../src/domain/events/envelope.ts";
import { openRuntime, type Runtime } from "../../src/app/runtime.ts";
import type { BusinessRow } from "../../src/store/businesses.ts";

export type DeliveryBench = { config: Config; rt: Runtime; business: BusinessRow };

const TEXT = "x".repeat(1500);

/** An event of 2 KB. */
export const EVENT: EventDraft = {
  type: "service.updated",
  resource: { type: "service", id: "svc_1", ids: ["svc_1"] },
  changed: ["price"],
  object: { id: "svc_1", description: TEXT },
};

/** Creates a business with endpoints at a receiver on this machine. */
export async function openDeliveryBench(
  dataDir: string,
  receiver: string,
  endpoints: number,
  maxInFlight = 4,
): Promise<DeliveryBench> {
  const config = readConfig({ dataDir, allowHttp: true, allowPrivate: ["127.0.0.0/8"] }, {});
  const rt = openRuntime(config, 5000);
  // The daemon disables checkpoints on its connection, too.
  rt.store.file.disableCheckpoints();
  const slug = "bench";
  const business = { slug, name: "Bench", timezone: "Europe/Zurich", currency: "CHF" };
  const services = Array.from({ length: 50 }, (_, i) => ({
    key: `service-${i}`,
    name: `Service number ${i}`,
    description: "A service of thirty minutes.",
    durationMin: 30,
    price: "35.00",
  }));
  applyCatalog(rt, [{ name: "bench", text: JSON.stringify({ catalog: 1, business, services }) }]);
  const row = getBusiness(rt, slug);
  for (let i = 0; i < endpoints; i++)
    await createEndpoint(rt, {
      businessId: row.id,
      keyId: null,
      name: `receiver ${i}`,
      url: `${receiver}${i}`,
      events: ["service.updated"],
      allowPrivate: true,
      maxInFlight,
    });
  return { config, rt, business: row };
}

import { createInterface } from "node:readline";
import { editObject } from "../../../src/app/catalog/changes/edit-object.ts";
import { openRuntime } from "../../../src/app/runtime.ts";
import { createEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import { readConfig } from "../../../src/config.ts";
import { businessId } from "../../../src/domain/catalog/object-id.ts";

// A process that makes the changes that it reads from stdin, `price 9100` or `endpoint`, and prints
// what it has committed. Argument: the data folder.

const SALON = "salon-aurora";
const rt = openRuntime(readConfig({ dataDir: process.argv[2] }, {}), 5000);

async function change(text: string): Promise<string> {
  const [kind, price] = text.split(" ");
  if (kind === "price") {
    const priceCents = Number(price);
    editObject(rt, SALON, "service", "cut", (service) => ({ ...service, priceCents }));
    return text;
  }
  const { endpoint } = await createEndpoint(rt, {
    businessId: businessId(SALON),
    keyId: null,
    name: "site",
    url: "https://93.184.215.14/",
    events: ["service.updated"],
    allowPrivate: false,
  });
  return `endpoint ${endpoint.id}`;
}

for await (const line of createInterface({ input: process.stdin })) console.log(await change(line));

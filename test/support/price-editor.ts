import { createInterface } from "node:readline";
import { editObject } from "../../src/app/catalog/changes/edit-object.ts";
import { readConfig } from "../../src/config.ts";
import { openRuntime } from "../../src/app/runtime.ts";

// A separate process that sets the price of the salon's cut to each number that it reads from
// stdin. Argument: the data folder.

const rt = openRuntime(readConfig({ dataDir: process.argv[2] }, {}), 5000);
for await (const line of createInterface({ input: process.stdin })) {
  editObject(rt, "salon-aurora", "service", "cut", (service) => ({
    ...service,
    priceCents: Number(line),
  }));
  console.log("done");
}

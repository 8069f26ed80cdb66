import { expect, test } from "vitest";
import { createKey } from "../../../src/app/keys.ts";
import { createEndpoint } from "../../../src/app/webhooks/endpoints.ts";
import { businessId } from "../../../src/domain/catalog/object-id.ts";
import { runCompetingWriters } from "../../support/competing-writers.ts";
import { spawnDaemon, waitForUrl } from "../../support/daemon.ts";
import { seedShop, SHOP_SLUG } from "../../support/shop.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";

const REQUESTS = 55;

test(
  "beside two processes that write in a loop, no request, command or other writer is refused as busy",
  { timeout: 60_000 },
  async () => {
    const rt = createTestRuntime({}, Date.now());
    seedShop(rt);
    const owner = { businessId: businessId(SHOP_SLUG), name: "site" };
    const { key, secret } = createKey(rt, { ...owner, kind: "SECRET", scopes: [] });
    const { endpoint } = await createEndpoint(
      rt,
      {
        ...owner,
        keyId: key.id,
        url: "https://a.example/",
        events: ["service.updated"],
        allowPrivate: false,
      },
      () => Promise.resolve(["93.184.216.34"]),
    );
    const { dataDir } = rt.config;
    const url = await waitForUrl(spawnDaemon(dataDir));
    const path = `/v1/businesses/${SHOP_SLUG}/webhooks/${endpoint.id}`;
    const options = { dataDir, url, path, secret, requests: REQUESTS, commands: 5 };
    // A writer that is refused fails the run.
    const { loopMs, writeMs, ...failures } = await runCompetingWriters(options);
    expect(failures).toMatchObject({ failedStatuses: [], failedCommands: [] });
    expect(loopMs.length).toBeGreaterThan(writeMs.length);
    expect(writeMs.length).toBeGreaterThan(0);
  },
);

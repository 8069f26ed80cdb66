import { join } from "node:path";
import { expect, test } from "vitest";
import { createBackup } from "../../../src/app/operations/backups.ts";
import { restoreBackup } from "../../../src/app/operations/restore.ts";
import { cancelTicketOrder } from "../../../src/features/tickets/change-order.ts";
import { confirmTicketOrder, createTicketOrder } from "../../../src/features/tickets/orders.ts";
import { createTempFolder } from "../../support/cli.ts";
import { createTestRuntime } from "../../support/test-runtime.ts";
import { applyCatalogBody } from "../../support/use-case.ts";

test("a ticket order never reuses a version after a restore", async () => {
  const rt = createTestRuntime({ dataDir: join(createTempFolder(), "data") });
  applyCatalogBody(
    rt,
    `events: [{ key: gala, name: Gala, slug: gala, startsAt: 2026-12-01T19:00, durationMin: 180,
      status: PUBLISHED, ticketTypes: [{ key: seat, name: Seat, kind: PAID, price: 25.00 }] }]`,
  );
  const { id } = createTicketOrder(rt, "salon-aurora", { event: "gala", items: ["seat"] });
  const { path } = await createBackup(rt);
  const cancelled = cancelTicketOrder(rt, "salon-aurora", id);
  rt.close();
  await restoreBackup(rt.config, path, { now: rt.now(), confirm: async () => {} });
  const restored = createTestRuntime({ dataDir: rt.config.dataDir });
  const { order: confirmed } = confirmTicketOrder(restored, "salon-aurora", id);
  expect(confirmed.version).toBeGreaterThan(cancelled.version);
});

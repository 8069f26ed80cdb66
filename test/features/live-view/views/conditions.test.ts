import { expect, test } from "vitest";
import { addBusiness } from "../../../support/delivery.ts";
import { fillDeliveries } from "../../../support/live-data.ts";
import { openSession } from "../open-view.ts";
import { createTestRuntime } from "../../../support/test-runtime.ts";

/** Opens a view with a warning about the server and two endpoints that fail. */
async function openView(options: Parameters<typeof openSession>[1] = {}) {
  const rt = createTestRuntime();
  await fillDeliveries(rt, 40);
  rt.store.daemon.save({ url: "http://127.0.0.1:4100", startedAt: rt.now() });
  rt.tx(() => {
    rt.store.daemon.saveSharedAddress("10.0.0.1");
    for (const endpoint of rt.store.endpoints.list().slice(0, 2)) {
      const streak = { failingSince: rt.now() - 3_600_000, failureCount: 9, warnedAt: rt.now() };
      const lastError = "HTTP 500";
      rt.store.endpoints.updateStreak(endpoint.id, { ...endpoint, ...streak, lastError });
    }
  });
  return { rt, view: openSession(rt, options) };
}

test.each([
  [50, 12, 1],
  [80, 24, 2],
  [120, 40, 3],
])(
  "the main screen at %ix%i shows %i problems, the most severe first",
  async (columns, rows, shown) => {
    const { view } = await openView({ columns, rows });
    const lines = view.text().split("\n").slice(1);
    expect(lines[0]).toMatch(/^ ▲ warning {2}all clients share/);
    expect(lines.slice(0, 10).filter((line) => line.startsWith(" ▲"))).toHaveLength(shown);
    expect(lines[shown - 1]).toMatch(
      shown === 3 ? / p: fix$/ : new RegExp(` and ${3 - shown} more: p$`),
    );
  },
);

test("the key p lists every problem in full, with its fix", async () => {
  const { view } = await openView({ rows: 40 });
  view.press("p");
  expect(view.text()).toMatch(/▲ warning {2}proxy\.one_address[^]*deskbell guide behind-a-proxy/);
  expect(view.text()).toMatch(
    /▲ info {2}endpoint\.failing[^]*\(HTTP\s[^]*500\)[^]*deliveries list --failed/,
  );
  view.press("p");
  expect(view.text()).toContain("─ deliveries ─");
});

test("a problem that ends disappears within ten seconds and frees its lines", async () => {
  const { rt, view } = await openView();
  const firstLines = () => view.text().split("\n").slice(1, 3).join("\n");
  expect(firstLines()).toContain("10.0.0.1");
  rt.tx(() => rt.store.daemon.saveSharedAddress(null));
  rt.advance(10_000);
  view.tick();
  expect(firstLines()).toMatch(/▲ info[^]*▲ info .* p: fix/);
  const endpoints = rt.store.endpoints.list();
  rt.tx(() => {
    for (const { id } of endpoints) rt.store.endpoints.delete(id, rt.now());
  });
  rt.advance(10_000);
  view.tick();
  expect(firstLines()).toMatch(/^╭─ last 60 min/);
  view.press("p");
  expect(view.text()).toContain("No problems.");
});

test("a view of one business hides the problems of other businesses", async () => {
  const { rt } = await openView();
  const { id } = addBusiness(rt, "other");
  const text = openSession(rt, { businessId: id }).text();
  expect(text).toContain("▲ warning");
  expect(text).not.toContain("▲ info");
});

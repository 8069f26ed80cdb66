import { createBooking } from "../../../../src/app/bookings/bookings.ts";
import { createAlertLinks } from "../../../../src/features/desk/alert-links/alert-links.ts";
import { createTestApi, SALON } from "../../../http/support/api.ts";
import { businessOf } from "../open-desk.ts";

export const URL_OF_SERVER = "https://desk.example.com";
const HOUR_MS = 3_600_000;

/** Opens the API with a visit that the business must accept or decline within two hours. */
export function openPendingVisit({
  alertLinks = true,
  busyTimeoutMs,
}: { alertLinks?: boolean; busyTimeoutMs?: number } = {}) {
  const api = createTestApi("salon", busyTimeoutMs, { alertLinks, publicUrl: URL_OF_SERVER });
  const business = businessOf(api);
  const { id } = createBooking(api, SALON, {
    service: "mens-cut",
    start: "2026-12-01T12:00",
    customer: { name: "Ana Silva", email: "ana@example.com" },
  });
  const booking = api.store.bookings.findById(business.id, id)!;
  const decideBy = api.now() + 2 * HOUR_MS;
  api.tx(() => api.store.bookings.update({ ...booking, status: "PENDING", decideBy }));
  const link = () => createAlertLinks(api, SALON, id)!;
  const pathOf = (url: string) => url.slice(URL_OF_SERVER.length);
  const get = (url: string) => api.request(pathOf(url), { key: null });
  const post = async (
    url: string,
    more: { start?: string; headers?: Record<string, string> } = {},
  ) => {
    const page = await (await get(url)).text();
    const start = more.start ?? /name="start" value="(\d+)"/.exec(page)?.[1] ?? "";
    return api.request(pathOf(url), {
      key: null,
      method: "POST",
      headers: {
        origin: URL_OF_SERVER,
        "content-type": "application/x-www-form-urlencoded",
        ...more.headers,
      },
      body: new URLSearchParams({ start }).toString(),
    });
  };
  const statusOf = () => api.store.bookings.findById(business.id, id)!.status;
  return { api, id, link, get, post, statusOf };
}

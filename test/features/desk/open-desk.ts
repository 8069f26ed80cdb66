import { createDesk, createDeskLink } from "../../../src/features/desk/desks.ts";
import { type DeskRight, DESK_RIGHTS, type DeskView } from "../../../src/features/desk/rules.ts";
import type { DeskMessage } from "../../../src/features/desk/browser/desk.tsx";
import type { Runtime } from "../../../src/app/runtime.ts";
import { createTestApi, type TestApi } from "../../http/support/api.ts";

const ORIGIN = "http://localhost";

type DeskOptions = {
  name?: string;
  staffId?: string | null;
  allow?: readonly DeskRight[];
  preset?: Parameters<typeof createTestApi>[0];
};

export const businessOf = (rt: Runtime) => rt.store.businesses.list()[0]!;

/** Returns the token of a new link to a new desk. */
export function createLink(
  rt: Runtime,
  { name = "Front desk", staffId = null, allow = DESK_RIGHTS }: DeskOptions = {},
): string {
  const business = businessOf(rt);
  createDesk(rt, business, { name, staffId, allow: [...allow] });
  return createDeskLink(rt, business.id, name).token;
}

/** Sends requests of a browser to the pages of the desk. */
export function createBrowser(api: TestApi, slug = businessOf(api).slug) {
  let cookie = "";
  const send = async (path: string, init: RequestInit = {}) => {
    const headers = new Headers({ host: "localhost", ...(cookie && { cookie }) });
    for (const [name, value] of new Headers(init.headers)) headers.set(name, value);
    const response = await api.request(`/b/${slug}/desk${path}`, { key: null, ...init, headers });
    const set = response.headers.get("set-cookie");
    if (set !== null) cookie = set.split(";")[0] ?? "";
    return response;
  };
  const post = (path: string, form: Record<string, string> = {}, headers = {}) =>
    send(path, {
      method: "POST",
      headers: {
        origin: ORIGIN,
        "content-type": "application/x-www-form-urlencoded",
        ...headers,
      },
      body: new URLSearchParams(form).toString(),
    });
  return { get: send, post, cookie: () => cookie };
}

/** Opens the API with a paired device. */
export async function openDesk(options: DeskOptions = {}) {
  const api = createTestApi(options.preset);
  const browser = createBrowser(api);
  const token = createLink(api, options);
  await browser.post(`/pair/${token}`);
  const json = { accept: "application/json" };
  const view = async (query = ""): Promise<DeskView> =>
    ((await (await browser.get(query, { headers: json })).json()) as { view: DeskView }).view;
  let keys = 0;
  /** Sends an action as a script does, with a key of its own. */
  const act = async (form: Record<string, string>) => {
    const response = await browser.post("", { key: `k${keys++}`, ...form }, json);
    return (await response.json()) as { view: DeskView; message: DeskMessage };
  };
  return { api, ...browser, token, view, act };
}

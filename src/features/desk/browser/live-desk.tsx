/** @jsxImportSource preact */
import { useEffect, useRef, useState } from "preact/hooks";
import { now } from "../../../pages/browser/clock.ts";
import type { DeskView } from "../rules.ts";
import { Desk, type DeskMessage, type DeskProps } from "./desk.tsx";

const POLL_MS = 8000;
/** A state that is older than this is not shown as current. */
const STALE_MS = 20_000;
const TIMEOUT_MS = 10_000;

type Reply = { view: DeskView; message: DeskMessage | null };

/** The desk with a script: it stays up to date, and actions need no new page. */
export function LiveDesk(props: DeskProps) {
  const [{ view, message }, setReply] = useState<Reply>(props);
  const [isOffline, setOffline] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const readAt = useRef(now());
  // An action without a response may have been done. The key stays, so that the server recognises
  // it when it is sent again.
  const isUnanswered = useRef(false);
  const current = useRef(view);
  current.current = view;
  /** The number of responses that were shown, by which an overtaken one is recognised. */
  const shown = useRef(0);

  const markCurrent = (): void => {
    readAt.current = now();
    shown.current += 1;
    setOffline(false);
  };

  const poll = async (): Promise<void> => {
    if (now() - readAt.current > STALE_MS) setOffline(true);
    const number = shown.current;
    const query = new URLSearchParams({ version: current.current.version });
    if (current.current.away) query.set("away", current.current.away.id);
    try {
      const response = await send(`${props.path}?${query}`);
      const next = response.status === 204 ? null : ((await response.json()) as Reply).view;
      // An action was answered meanwhile, with a newer state.
      if (shown.current !== number) return;
      markCurrent();
      if (next === null) return;
      setReply((before) => ({
        message: before.message,
        view: isUnanswered.current ? { ...next, key: before.view.key } : next,
      }));
    } catch {
      setOffline(true);
    }
  };

  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") void poll();
    }, POLL_MS);
    const pollNow = () => void poll();
    document.addEventListener("visibilitychange", pollNow);
    addEventListener("online", pollNow);
    addEventListener("offline", pollNow);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", pollNow);
      removeEventListener("online", pollNow);
      removeEventListener("offline", pollNow);
    };
  }, []);

  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    if (isBusy) return;
    const body = new URLSearchParams(
      [...new FormData(event.currentTarget as HTMLFormElement)].map(([name, value]) => [
        name,
        String(value),
      ]),
    );
    void act(body);
  };

  const act = async (body: URLSearchParams): Promise<void> => {
    setBusy(true);
    isUnanswered.current = true;
    try {
      const response = await send(props.path, { method: "POST", body });
      const reply = (await response.json()) as Reply;
      isUnanswered.current = false;
      markCurrent();
      setReply(reply);
    } catch {
      setOffline(true);
      const unsaved = { text: props.texts.notSaved, isGood: false, codes: [] };
      setReply((before) => ({ ...before, message: unsaved }));
    } finally {
      setBusy(false);
    }
  };

  return (
    <Desk
      {...props}
      view={view}
      message={message}
      isStale={isOffline}
      isBusy={isBusy}
      onSubmit={onSubmit}
    />
  );
}

/** Sends a request, and loads the page again if the device is no longer paired. */
async function send(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(path, {
    ...init,
    headers: { accept: "application/json" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (response.status === 401) location.reload();
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response;
}

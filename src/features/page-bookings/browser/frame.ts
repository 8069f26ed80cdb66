import type { FrameProps } from "../rules.ts";
import type { FromFrame, ToFrame } from "./messages.ts";

type Received = MessageEvent<ToFrame | undefined>;

/**
 * Sends two kinds of messages to the website around the frame: the height of the page, also when it
 * changes, and what was just booked. The website must have an origin that the business names.
 */
export function answerWebsite({ origins, booked }: FrameProps): void {
  let isAnswered = false;
  window.addEventListener("message", ({ data, origin, source }: Received) => {
    const isWebsite = source === window.parent && origins.includes(origin);
    if (isAnswered || !isWebsite || data?.type !== "deskbell:hello") return;
    isAnswered = true;
    const send = (message: FromFrame): void => window.parent.postMessage(message, origin);
    const page = document.documentElement;
    const sendHeight = (): void =>
      send({ type: "deskbell:height", height: Math.ceil(page.getBoundingClientRect().height) });
    // A browser reports no sizes of a frame that is still invisible, so the first height is sent
    // without waiting for the observer.
    sendHeight();
    new ResizeObserver(sendHeight).observe(page);
    if (booked !== null) send({ type: "deskbell:booked", booked });
  });
  const url = new URL(location.href);
  if (!url.searchParams.has("booked")) return;
  // A reload must not report the booking again.
  url.searchParams.delete("booked");
  history.replaceState(history.state, "", url);
}

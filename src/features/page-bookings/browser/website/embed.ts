import type { FromFrame, ToFrame } from "../messages.ts";

// This script runs on the website of a business, and defines <deskbell-book business="salon">. The
// element shows the booking page in a frame that is as high as the page.

const script =
  (document.currentScript as HTMLScriptElement | null) ??
  document.querySelector<HTMLScriptElement>('script[src*="/embed.js"]');

/** The attributes of the element that become the query of the page. */
const CHOICES = ["service", "event", "lang"];

class DeskbellBook extends HTMLElement {
  #stop: (() => void) | undefined;

  connectedCallback(): void {
    if (script === null) return;
    const business = this.getAttribute("business") ?? "";
    const page = new URL(`b/${encodeURIComponent(business)}/book`, script.src);
    for (const name of CHOICES) {
      const value = this.getAttribute(name);
      if (value !== null) page.searchParams.set(name, value);
    }
    const link = document.createElement("a");
    link.href = page.href;
    link.textContent = this.title || "Book";
    // The page can refuse to be in a frame. The website then still shows this fallback: the content
    // of the element, or a link.
    const fallback = document.createElement("slot");
    fallback.append(link);

    const frame = document.createElement("iframe");
    frame.title = link.textContent;
    frame.style.cssText = "display:block;width:100%;height:0;border:0";
    page.searchParams.set("embed", "first");
    frame.src = page.href;
    const receive = ({ data, origin, source }: MessageEvent<FromFrame | undefined>): void => {
      if (origin !== page.origin || source !== frame.contentWindow) return;
      if (data?.type === "deskbell:height" && Number.isFinite(data.height)) {
        fallback.remove();
        frame.style.height = `${data.height}px`;
      }
      if (data?.type === "deskbell:booked") {
        const detail = data.booked;
        this.dispatchEvent(new CustomEvent(data.type, { bubbles: true, composed: true, detail }));
      }
    };
    let steps = 0;
    frame.addEventListener("load", () => {
      const hello: ToFrame = { type: "deskbell:hello" };
      frame.contentWindow?.postMessage(hello, page.origin);
      steps += 1;
      // The next step begins at its top, which the reader may have scrolled past.
      if (steps > 1 && frame.getBoundingClientRect().top < 0) frame.scrollIntoView();
    });
    window.addEventListener("message", receive);
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    root.replaceChildren(fallback, frame);
    this.#stop = () => window.removeEventListener("message", receive);
  }

  disconnectedCallback(): void {
    this.#stop?.();
  }
}

if (!customElements.get("deskbell-book")) customElements.define("deskbell-book", DeskbellBook);

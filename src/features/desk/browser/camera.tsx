/** @jsxImportSource preact */
import { useEffect, useRef, useState } from "preact/hooks";
import { now } from "../../../pages/browser/clock.ts";
import { type LiveState, NOT_TAKEN } from "./connection.ts";
import type { DeskMessage } from "./desk.tsx";
import type { findCode } from "./later/scanner.ts";
import type { DeskTexts } from "./texts.ts";

/** The time between two pictures that are searched for a code. */
const PAUSE_MS = 150;
/** The longer side of a searched picture, in pixels. A larger picture only costs more time. */
const MAX_SIDE = 640;
/** A code that is out of sight for this long is checked in again when it comes back. */
const FORGET_MS = 2000;
/** The maximum length of a code, as in the field for typed codes. */
const MAX_CHARS = 60;

type Props = {
  texts: DeskTexts;
  /** The path of the script that finds codes in pictures. */
  scanner: string;
  checkIn: (code: string) => ReturnType<LiveState["act"]>;
};

type CameraState = "off" | "starting" | "on" | "failed";

/** Checks in every ticket whose code the camera sees, until it is stopped. */
export function Camera({ texts, scanner, checkIn }: Props) {
  const [state, setState] = useState<CameraState>("off");
  const video = useRef<HTMLVideoElement>(null);
  // The effect below runs once each time the camera starts. It calls the newest `checkIn` through
  // this reference.
  const latestCheckIn = useRef(checkIn);
  latestCheckIn.current = checkIn;
  const isActive = state === "starting" || state === "on";

  useEffect(() => {
    if (!isActive || video.current === null) return undefined;
    const session = new AbortController();
    const stop = () => setState("off");
    const stopIfHidden = () => document.visibilityState === "hidden" && stop();
    document.addEventListener("visibilitychange", stopIfHidden, { signal: session.signal });
    watch(video.current, scanner, session.signal, {
      onStart: () => setState("on"),
      async onCode(code) {
        const message = await latestCheckIn.current(code);
        if (message === NOT_TAKEN) return false;
        vibrate(message);
        return true;
      },
    }).catch(() => setState("failed"));
    return () => session.abort();
  }, [isActive]);

  return (
    <div class="camera">
      {isActive ? (
        <>
          <video ref={video} playsInline muted aria-label={texts.holdCode} />
          <p class="faint">{texts.holdCode}</p>
          <button type="button" onClick={() => setState("off")}>
            {texts.stopCamera}
          </button>
        </>
      ) : (
        <button type="button" onClick={() => setState("starting")}>
          {texts.useCamera}
        </button>
      )}
      <p role="status" class="bad">
        {state === "failed" && texts.noCamera}
      </p>
    </div>
  );
}

/**
 * Vibrates once for a ticket that was checked in and three times for a refusal, because staff look
 * at the guest and not at the screen.
 */
const vibrate = (message: DeskMessage | null): void => {
  // Browsers log an error if a page vibrates before its first touch.
  if (message !== null && navigator.userActivation?.hasBeenActive)
    navigator.vibrate?.(message.isGood ? 80 : [80, 80, 80, 80, 80]);
};

type Listeners = {
  onStart: () => void;
  /** Returns whether the page has sent the code. If it has not, `watch` reports the code again. */
  onCode: (code: string) => Promise<boolean>;
};

/**
 * Shows the camera's pictures, and reports each code once while it is in sight. Aborting `ended`
 * stops the camera.
 */
async function watch(
  video: HTMLVideoElement,
  scanner: string,
  ended: AbortSignal,
  { onStart, onCode }: Listeners,
): Promise<void> {
  const stream = await navigator.mediaDevices.getUserMedia({
    video: { facingMode: "environment" },
    audio: false,
  });
  const stop = () => stream.getTracks().forEach((track) => track.stop());
  if (ended.aborted) return stop();
  ended.addEventListener("abort", stop);
  try {
    const decoder = (await import(scanner)) as { findCode: typeof findCode };
    video.srcObject = stream;
    await video.play();
    onStart();
    let lastSeen = { code: "", at: 0 };
    while (!ended.aborted) {
      const picture = takePicture(video);
      const code = picture && decoder.findCode(picture);
      if (code !== null && code.length <= MAX_CHARS) {
        const isNew = code !== lastSeen.code || now() - lastSeen.at > FORGET_MS;
        if (!isNew || (await onCode(code))) lastSeen = { code, at: now() };
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  } catch (error) {
    stop();
    // A camera that is stopped while it starts reports an error.
    if (!ended.aborted) throw error;
  }
}

function takePicture(video: HTMLVideoElement): ImageData | null {
  const { videoWidth, videoHeight } = video;
  // A video without a width has no picture yet.
  if (videoWidth === 0) return null;
  const scale = Math.min(1, MAX_SIDE / Math.max(videoWidth, videoHeight));
  const [width, height] = [videoWidth, videoHeight].map((side) => Math.round(side * scale));
  const canvas = new OffscreenCanvas(width ?? 0, height ?? 0);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context?.drawImage(video, 0, 0, canvas.width, canvas.height);
  return context?.getImageData(0, 0, canvas.width, canvas.height) ?? null;
}

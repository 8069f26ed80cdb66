/** @jsxImportSource preact */
import { useEffect } from "preact/hooks";
import { Camera } from "./camera.tsx";
import { useDesk } from "./connection.ts";
import { Desk, type DeskProps } from "./desk.tsx";
import { timesIn } from "./times.ts";

/** The desk with a script: it stays up to date, and actions need no new page. */
export function LiveDesk(props: DeskProps) {
  const desk = useDesk(props);
  const { view, message, isStale, isConnected, isBusy, unanswered } = desk;

  useEffect(openLinkedPart, []);
  useEffect(() => {
    if (view.away !== null) document.getElementById("away-visits")?.focus();
  }, [view.away?.id]);
  useEffect(() => {
    // The button that was pressed may have left the page, with the focus of the keyboard.
    if (message !== null && document.activeElement === document.body)
      document.getElementById("message")?.focus();
  }, [message]);

  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
    void desk.act(new URLSearchParams(fields), event.submitter?.textContent ?? "");
  };

  const checkIn = (code: string) =>
    desk.act(new URLSearchParams({ action: "checkIn", code }), `${props.texts.checkIn} ${code}`);

  return (
    <Desk
      {...props}
      view={view}
      message={message}
      live={{
        isStale,
        isConnected,
        age: timesIn(props.locale).age(desk.ageMs),
        isBusy,
        isLocked: isStale || (unanswered !== null && unanswered.attempts > 0),
        question: desk.isAsking ? { sendAgain: desk.sendAgain, drop: desk.drop } : null,
        camera: <Camera texts={props.texts} scanner={props.scanner} checkIn={checkIn} />,
        onSubmit,
      }}
    />
  );
}

/** Opens the part of the page to which a link leads, in browsers that do not do it themselves. */
function openLinkedPart(): () => void {
  const open = () => {
    const details = document.getElementById(location.hash.slice(1))?.closest("details");
    if (details) details.open = true;
  };
  addEventListener("hashchange", open);
  return () => removeEventListener("hashchange", open);
}

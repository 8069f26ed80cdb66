/** @jsxImportSource preact */
import { useEffect, useLayoutEffect } from "preact/hooks";
import { Camera } from "./camera.tsx";
import { useDesk } from "./connection.ts";
import { Desk, type DeskProps } from "./desk.tsx";
import { timesIn } from "./times.ts";

/** The desk with a script: it stays up to date, and actions need no new page. */
export function LiveDesk(props: DeskProps) {
  const desk = useDesk(props);
  const { view, message, isStale, isConnected, isBusy, unanswered } = desk;

  useEffect(openLinkedSection, []);
  // Layout effects move the focus before the change is painted, so that no key press is lost.
  useLayoutEffect(() => {
    if (view.away !== null) document.getElementById("away-visits")?.focus();
  }, [view.away?.id]);
  useLayoutEffect(() => {
    // If the pressed button has left the page, the keyboard has lost its focus.
    if (message !== null && document.activeElement === document.body)
      document.getElementById("message")?.focus();
  }, [message]);

  const onSubmit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const fields = readFields(form);
    const sent = fields.toString();
    // The next guest must not get the name and the time of the guest who was just entered. A form
    // that was changed meanwhile may have the next guest already.
    const empty = () => readFields(form).toString() === sent && form.reset();
    void desk.act(fields, event.submitter?.textContent ?? "", empty);
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
        // The first attempt disables no button, because disabling them would render every form
        // again.
        isLocked: isStale || (unanswered !== null && unanswered.failedAttempts > 0),
        question: desk.isAsking ? { sendAgain: desk.sendAgain, drop: desk.drop } : null,
        camera: <Camera texts={props.texts} scanner={props.scanner} checkIn={checkIn} />,
        onSubmit,
      }}
    />
  );
}

/** Returns the fields of a form without the key of the view, which changes with each view. */
function readFields(form: HTMLFormElement): URLSearchParams {
  const fields = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
  return new URLSearchParams(fields.filter(([name]) => name !== "key"));
}

/** Opens the section to which a link leads, because some browsers do not open it. */
function openLinkedSection(): () => void {
  const open = () => {
    const details = document.getElementById(location.hash.slice(1))?.closest("details");
    if (details) details.open = true;
  };
  addEventListener("hashchange", open);
  return () => removeEventListener("hashchange", open);
}

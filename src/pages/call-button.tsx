/** @jsxImportSource preact */
import { OutsideText } from "./outside-text.tsx";

export const telUrl = (phone: string): string => `tel:${phone.replaceAll(/[^\d+]/g, "")}`;

/** A link that calls a telephone number. No-break spaces keep the number on one line. */
export const CallButton = ({ label, phone }: { label: string; phone: string }) => (
  <a class="button primary" href={telUrl(phone)}>
    {/* A button lays out its children as columns, so the whole text is one child. */}
    <span>
      {label}: <OutsideText text={phone.replaceAll(" ", "\u00a0")} />
    </span>
  </a>
);

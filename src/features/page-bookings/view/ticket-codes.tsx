/** @jsxImportSource preact */
import type { BookingShop } from "../show/read-offer.ts";
import { Outside } from "./parts.tsx";

/** A ticket as its guest sees it. */
export type GuestTicket = {
  /** The name of the ticket type; empty if the catalog no longer has it. */
  name: string;
  admissionCode: string;
  /** The modules of the QR code, in rows; true is dark. */
  modules: readonly (readonly boolean[])[];
  isUsed: boolean;
};

type TicketCodesProps = BookingShop & { tickets: readonly GuestTicket[] };

/** The admission code of each ticket, as text and as a QR code. */
export const TicketCodes = ({ shop, texts, tickets }: TicketCodesProps) => (
  <ul class="admissions">
    {tickets.map(({ name, admissionCode, modules, isUsed }) => (
      <li class={`card ${isUsed ? "used" : ""}`.trim()}>
        <QrCode modules={modules} label={admissionCode} />
        <p>
          <strong>
            <Outside shop={shop} text={name} />
          </strong>
          <span class="line mono">{admissionCode}</span>
          {isUsed && <span class="line warn">{texts.ticketUsed}</span>}
        </p>
      </li>
    ))}
  </ul>
);

type QrCodeProps = { modules: GuestTicket["modules"]; label: string };

/** A QR code. Its background is light on dark pages, too: many scanners need dark on light. */
const QrCode = ({ modules, label }: QrCodeProps) => (
  <svg
    class="qr"
    viewBox={`0 0 ${modules.length} ${modules.length}`}
    role="img"
    aria-label={label}
    shape-rendering="crispEdges"
  >
    <rect width="100%" height="100%" fill="#fff" />
    <path d={modules.map(drawRow).join("")} fill="#000" />
  </svg>
);

const drawRow = (row: readonly boolean[], y: number): string =>
  row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")).join("");

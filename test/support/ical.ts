import { sync } from "node-ical";

export type ParsedEvent = {
  uid: string;
  sequence: number;
  status: string;
  start: Date;
  end: Date;
  summary: string;
  location?: string;
  description?: string;
};

/** Reads the events of an iCalendar file with node-ical, which shares no code with our writer. */
export function parseCalendar(text: string): ParsedEvent[] {
  const parts = Object.values(sync.parseICS(text)) as (ParsedEvent & { type: string })[];
  return parts.filter(({ type }) => type === "VEVENT");
}

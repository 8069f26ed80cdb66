import { emptySchedule, type ScheduleDoc } from "../catalog.ts";
import { deepEqual } from "../../equality.ts";
import type { ChangeOrigin } from "./local-edits.ts";

type Section = keyof ScheduleDoc;

/** The sections that commands edited since the last catalog file, each as that file had it. */
export type ScheduleEdits = Partial<ScheduleDoc>;

const SECTIONS = Object.keys(emptySchedule()) as Section[];

/** Returns the edited sections that a change overwrites. */
export const findOverwrittenSections = (
  edits: ScheduleEdits,
  before: ScheduleDoc,
  after: ScheduleDoc,
): Section[] =>
  SECTIONS.filter((section) => section in edits && !deepEqual(before[section], after[section]));

/**
 * The edits to store after a change. A section that had edits which an undo restores differs from
 * the last file again.
 */
export function nextScheduleEdits(
  edits: ScheduleEdits,
  before: ScheduleDoc,
  after: ScheduleDoc,
  origin: ChangeOrigin,
): ScheduleEdits {
  const isKeptBy = (section: Section): boolean => {
    if (origin === "local") return true;
    if ("listed" in origin) return !origin.listed.has(after[section]);
    return origin.restoredFields.get(section) !== false;
  };
  return Object.fromEntries(
    SECTIONS.flatMap((section) => {
      if (!isKeptBy(section)) return [];
      const isChanged = !deepEqual(before[section], after[section]);
      const authored = edits[section] ?? (isChanged ? before[section] : undefined);
      const isEdited = authored !== undefined && !deepEqual(authored, after[section]);
      return isEdited ? [[section, authored]] : [];
    }),
  );
}

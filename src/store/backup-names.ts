const NIGHTLY = "deskbell";
const NAME = /^(deskbell|before-schema-\d+)-(\d{8})T(\d{6})Z\.db$/;
/** What an interrupted backup left behind. */
const DRAFT = /^(deskbell|before-schema-\d+)-.*\.draft/;

export const backupName = (madeAt: number): string => `${NIGHTLY}-${compactTime(madeAt)}.db`;
export const backupNameBefore = (schema: number, madeAt: number): string =>
  `before-schema-${schema}-${compactTime(madeAt)}.db`;

/** When a backup was made; undefined for what is none. */
export function readBackupTime(name: string): number | undefined {
  const [, , date, time] = NAME.exec(name) ?? [];
  if (date === undefined) return undefined;
  return Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime("UTC").epochMilliseconds;
}

/** Those of the nights make room for each other; one made before a migration stays until somebody removes it. */
export const isNightly = (name: string): boolean => name.startsWith(`${NIGHTLY}-`);
export const isDraft = (name: string): boolean => DRAFT.test(name);

/** `20261120T031700Z`: fit for a file name, and sorted as it is written. */
const compactTime = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;

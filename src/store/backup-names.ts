const NIGHTLY = "deskbell";
const BACKUP_NAME = /^(deskbell|before-schema-\d+)-(\d{8})T(\d{6})Z\.db$/;
/** A file that an interrupted backup left behind. */
const DRAFT_NAME = /^(deskbell|before-schema-\d+)-.*\.draft/;

export const backupName = (madeAt: number): string => `${NIGHTLY}-${compactTime(madeAt)}.db`;
export const backupNameBefore = (schema: number, madeAt: number): string =>
  `before-schema-${schema}-${compactTime(madeAt)}.db`;

/** Returns when a backup was made (epoch ms), or undefined for another file. */
export function readBackupTime(name: string): number | undefined {
  const [, , date, time] = BACKUP_NAME.exec(name) ?? [];
  if (date === undefined) return undefined;
  return Temporal.PlainDateTime.from(`${date}T${time}`).toZonedDateTime("UTC").epochMilliseconds;
}

/** Only nightly backups are deleted automatically, never one made before a migration. */
export const isNightly = (name: string): boolean => name.startsWith(`${NIGHTLY}-`);
export const isDraft = (name: string): boolean => DRAFT_NAME.test(name);

/** `20261120T031700Z`: valid in a file name, and sorts by time. */
const compactTime = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;

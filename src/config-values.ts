import { ALERT_FORMATS, type AlertFormat } from "./domain/conditions/alert-url.ts";
import { AppError } from "./domain/errors.ts";
import { isMailAddress } from "./domain/mail/mail-address.ts";
import { readLimited } from "./platform/limited-read.ts";

// These functions check single values of the configuration, from a flag or a variable. An optional
// value that is missing or empty is null.

/** @throws AppError usage */
export function parseAlertFormat(text: string): AlertFormat {
  const format = ALERT_FORMATS.find((known) => known === text);
  if (format !== undefined) return format;
  throw new AppError("usage", `--alert-format must be ${ALERT_FORMATS.join(", ")}, not '${text}'.`);
}

/** @throws AppError usage */
export function parseUrl(flag: string, text: string | undefined): string | null {
  if (text === undefined || text === "") return null;
  if (/^https?:$/.test(URL.parse(text)?.protocol ?? "")) return text;
  throw new AppError("usage", `${flag} must be an http or https URL.`);
}

/** @throws AppError usage */
export function parseMailAddress(flag: string, text: string | undefined): string | null {
  if (text === undefined || text === "") return null;
  if (isMailAddress(text)) return text;
  throw new AppError("usage", `${flag} must be one mail address.`, {
    fix: `${flag} bookings@example.com`,
  });
}

/**
 * Returns a mailto or https URL; a mail address becomes a mailto URL.
 * @throws AppError usage
 */
export function parseContact(text: string | undefined): string | null {
  if (text === undefined || text === "") return null;
  const contact = /^[^\s@:]+@[^\s@]+$/.test(text) ? `mailto:${text}` : text;
  if (/^(mailto:[^\s@]+@[^\s@]+|https:\/\/[^\s]+)$/.test(contact) && URL.canParse(contact))
    return contact;
  throw new AppError("usage", "--contact must be a mail address or an https URL.", {
    fix: "--contact security@example.com",
  });
}

/**
 * Returns a secret: the content of the file at `path`, or the variable if `path` is null. Secrets
 * are never flags, because any user can list the arguments of a process.
 */
export const readSecret = (
  flag: string,
  path: string | null,
  inEnv: string | undefined,
): string | null => (path === null ? inEnv || null : readSecretFile(flag, path));

/**
 * Returns the content of a file without spaces around it.
 * @throws AppError usage if the file is empty or cannot be read
 */
export function readSecretFile(flag: string, path: string): string {
  try {
    const secret = readLimited(path).toString().trim();
    if (secret !== "") return secret;
  } catch (error) {
    if (error instanceof AppError) throw error;
    // An unreadable file gets the error below, which is also that of an empty file.
  }
  throw new AppError("usage", `${flag}: ${path} is empty or cannot be read.`);
}

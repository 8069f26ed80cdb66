import { z } from "zod";
import { MAX_MINOR_UNITS } from "./money.ts";
import { isSafeLine } from "./text.ts";

/*
 * This file has the schemas of single values in catalog files and in requests. The error message of
 * each is a noun phrase that completes "it must be ...".
 */

/** Returns the schema of one line, without control characters. */
export function line(max: number) {
  const noun = `one line of 1 to ${max} characters`;
  return z
    .string(noun)
    .regex(new RegExp(`^(?=.*\\S)[^\\p{Cc}\\p{Cs}\\p{Zl}\\p{Zp}]{1,${max}}$`, "u"), noun);
}

/**
 * Returns the schema of a line that somebody outside the business wrote. The schema refuses
 * characters that control a terminal, and characters that reorder or hide other characters: the
 * line reaches calendars and other tools of the business.
 */
export function outsideLine(max: number) {
  const noun = `one line of 1 to ${max} characters without invisible characters`;
  const isLine = (text: string) => /\S/.test(text) && [...text].length <= max && isSafeLine(text);
  return z.string(noun).refine(isLine, noun).meta({ minLength: 1, maxLength: max });
}

const KEY = "1 to 80 characters in one line, with no space at either end";
export const keySchema = () =>
  z.string(KEY).regex(/^(?!\s)[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{1,80}(?<!\s)$/u, KEY);

export function integer(min: number, max: number) {
  const noun = `a whole number from ${min} to ${max}`;
  return z.int(noun).min(min, noun).max(max, noun);
}

export const centsSchema = () => integer(0, MAX_MINOR_UNITS);
/** Returns the schema of a sum, which can exceed the maximum of a single amount. */
export const totalCentsSchema = () => integer(0, Number.MAX_SAFE_INTEGER);

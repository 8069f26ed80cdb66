import { z } from "zod";
import { lazy } from "../lazy.ts";
import { isSafeLine, isSafeText } from "../text.ts";

/**
 * Matches an email address, or the empty text, which deletes the address. A text without `@` is a
 * typing error.
 */
const EMAIL = /^(?:[^@]+@.+)?$/;
const lineOf = (noun: string, max: number, pattern = /^/) => {
  const error = `${noun} of one line and at most ${max} characters, none of them invisible, or null`;
  return z
    .string({ error })
    .trim()
    .max(max, { error })
    .refine((text) => isSafeLine(text) && pattern.test(text), { error })
    .nullable();
};
const NOTES = "a text of at most 2000 characters, none of them invisible, or null";

/** The schema of guest data. An error text is a noun phrase that completes "must be ...". */
export const customerFields = lazy(() =>
  z.strictObject(
    {
      name: lineOf("a name", 200).describe("Name of the guest"),
      email: lineOf("an email address such as ana@example.com,", 254, EMAIL).describe(
        "Email address",
      ),
      phone: lineOf("a phone number", 50).describe("Phone number"),
      notes: z
        .string({ error: NOTES })
        .max(2000, { error: NOTES })
        .refine(isSafeText, { error: NOTES })
        .nullable()
        .describe("What the guest wants the business to know"),
    },
    { error: "an object with name, email, phone and notes, or null" },
  ),
);

export type Customer = z.infer<ReturnType<typeof customerFields>>;

const NO_CUSTOMER: Customer = { name: null, email: null, phone: null, notes: null };

/** Applies a merge patch (RFC 7396). Returns null if no data are left. */
export function mergeCustomer(
  before: Customer | null,
  changes: { [Field in keyof Customer]?: string | null | undefined },
): Customer | null {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const after = { ...(before ?? NO_CUSTOMER), ...Object.fromEntries(given) };
  return Object.values(after).every((value) => value === null || value === "") ? null : after;
}

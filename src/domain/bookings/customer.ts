import { z } from "zod";
import { lazy } from "../lazy.ts";

const LINE = /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u;
/** An address without `@` is a slip, and no mail reaches it. Empty text deletes the address. */
const EMAIL = /^(?:[^\p{Cc}\p{Zl}\p{Zp}@]+@[^\p{Cc}\p{Zl}\p{Zp}]+)?$/u;
const lineOf = (noun: string, max: number, pattern = LINE) => {
  const error = `${noun} of one line and at most ${max} characters, or null`;
  return z.string({ error }).trim().max(max, { error }).regex(pattern, { error }).nullable();
};
const NOTES = "a text of at most 2000 characters, or null";

/** Guest data. Error texts are nouns: the caller adds "must be". */
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

import { type Customer, customerFields } from "../../../domain/bookings/customer.ts";
import type { FormErrors, GuestForm } from "../rules.ts";

/** What a guest has written. `customer` is to be stored; null if something is missing or wrong. */
export type ReadForm = { form: GuestForm; errors: FormErrors; customer: Customer | null };

/** The fewest digits of a telephone number. A text with fewer, such as "none", reaches nobody. */
const MIN_PHONE_DIGITS = 3;

const countDigits = (text: string): number => text.replaceAll(/\D/g, "").length;

const FIELDS = ["name", "email", "phone", "notes"] as const;

/** Reads the details of a guest, who must give an email address or a telephone number. */
export function readGuestForm(body: URLSearchParams): ReadForm {
  const read = (field: (typeof FIELDS)[number]): string => (body.get(field) ?? "").trim();
  const form: GuestForm = {
    name: read("name"),
    email: read("email"),
    phone: read("phone"),
    notes: read("notes").replaceAll("\r\n", "\n"),
  };
  const errors: FormErrors = {};
  if (form.name === "") errors.name = "needed";
  if (form.email === "" && form.phone === "") errors.email = "needed";
  if (form.phone !== "" && countDigits(form.phone) < MIN_PHONE_DIGITS) errors.phone = "needed";
  const given = Object.fromEntries(FIELDS.map((field) => [field, form[field] || null]));
  const parsed = customerFields().safeParse(given);
  for (const { path } of parsed.error?.issues ?? []) errors[path[0] as keyof GuestForm] = "invalid";
  const isValid = Object.keys(errors).length === 0 && parsed.success;
  return { form, errors, customer: isValid ? parsed.data : null };
}

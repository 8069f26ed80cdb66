import type { PageRequest } from "../../http/pages/page-request.ts";
import { AppError } from "../../domain/errors.ts";
import { readBody } from "../../http/pipeline/body.ts";
import type { DeskForm } from "./actions/actions.ts";

const MAX_FIELDS = 20;
const MAX_CHARS = 2000;

/** Reads the fields of a form. @throws AppError validation_failed */
export async function readForm({ context }: PageRequest): Promise<DeskForm> {
  const body = await readBody(context);
  const fields = [...new URLSearchParams(body.toString("utf8"))];
  if (fields.length > MAX_FIELDS || fields.some(([, value]) => value.length > MAX_CHARS))
    throw new AppError("validation_failed", "The form is too large.");
  return Object.fromEntries(fields);
}

import { showHidden } from "../../domain/text.ts";

// Makes results small: an agent reads each result as a whole, and its client refuses a result of
// more than 25,000 tokens.

/**
 * The maximum bytes of JSON for the objects of a result. The other fields of a result take up to
 * 3,750 bytes, and the result is sent twice, as text and as structured content: 2 × (12,500 +
 * 3,750) = 32,500 bytes. This is at most 25,000 tokens even for the worst text, which has 1.3 bytes
 * per token. Usual text has 3 or more.
 */
export const MAX_BYTES = 12_500;

/** Fields that only programs need, to mirror a catalog. Objects for agents do not have them. */
const LEFT_OUT = new Set(["images", "translations", "sortOrder", "version", "updatedAt", "sku"]);

/** The most characters of a text and the most items of a list. */
type Limits = { text: number; items: number };

/** The limits that are tried one after another, until an object fits. */
const LIMITS: readonly Limits[] = [
  { text: 600, items: 40 },
  { text: 200, items: 12 },
  { text: 60, items: 3 },
];

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/**
 * Returns an object of the API without empty fields, fields for mirrors and the status ACTIVE. Long
 * texts and lists are shortened to the first entry of `LIMITS` with which the object fits into
 * `MAX_BYTES`. If none is enough, the last entry is used. `shortened` is set if anything was cut.
 */
export function fitObject(object: object): Record<string, unknown> {
  let fitted: Record<string, unknown> = {};
  for (const limits of LIMITS) {
    const state = { isShortened: false };
    const compact = shorten(object, limits, state) as Record<string, unknown>;
    fitted = state.isShortened ? { ...compact, shortened: true } : compact;
    if (sizeOf(fitted) <= MAX_BYTES) return fitted;
  }
  return fitted;
}

function shorten(value: unknown, limits: Limits, state: { isShortened: boolean }): unknown {
  if (typeof value === "string") {
    if (value.length > limits.text) state.isShortened = true;
    return showHidden(value.length > limits.text ? `${value.slice(0, limits.text)}…` : value);
  }
  if (Array.isArray(value)) {
    if (value.length > limits.items) state.isShortened = true;
    return value.slice(0, limits.items).map((item) => shorten(item, limits, state));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      if (LEFT_OUT.has(name) || (name === "status" && inner === "ACTIVE")) return [];
      const short = shorten(inner, limits, state);
      return isEmpty(short) ? [] : [[name, short]];
    }),
  );
}

const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === "" ||
  (typeof value === "object" && Object.keys(value).length === 0);

/** Collects objects until a result is full. */
export class ResultPage {
  readonly objects: Record<string, unknown>[] = [];
  #bytes: number;
  readonly #limit: number;

  /**
   * @param limit the maximum number of objects
   * @param otherFields the other fields of the result, if they can be large: the page counts their
   * bytes
   */
  constructor(limit: number, otherFields: object = {}) {
    this.#limit = limit;
    this.#bytes = sizeOf(otherFields);
  }

  /**
   * Adds an object. The first object is always added, so that no page is empty.
   * @returns false if the page is full; the object then belongs on the next page
   */
  add(object: object): boolean {
    if (this.objects.length === this.#limit) return false;
    const fitted = fitObject(object);
    const commaBytes = 1;
    const bytes = sizeOf(fitted) + commaBytes;
    if (this.objects.length > 0 && this.#bytes + bytes > MAX_BYTES) return false;
    this.#bytes += bytes;
    this.objects.push(fitted);
    return true;
  }
}

import type { z } from "zod";
import type { EventType } from "../../domain/event-types.ts";

/** What the OpenAPI document says about a feature, apart from its routes. */
export type OpenApiPart = {
  schemas: Readonly<Record<string, z.ZodType>>;
  /** Returns examples of requests by operation ID, and of responses by the name of the schema. */
  examples: (generated: Generated) => Record<string, unknown>;
};

/** What the examples have in common, from a generated business. */
type Generated = {
  /** Returns the object of an event. */
  objectOf: (type: EventType) => object;
  /** Returns a page of a list with one object. */
  pageOf: (object: unknown) => unknown;
  customer: object;
};

import type { z } from "zod";
import type { EventType } from "../../domain/events/event-types.ts";

/** The part of the OpenAPI document that describes a feature, apart from its routes. */
export type OpenApiPart = {
  schemas: Readonly<Record<string, z.ZodType>>;
  /**
   * Returns examples of requests by their operation ID, and examples of responses by the name of
   * their schema.
   */
  examples: (generated: Generated) => Record<string, unknown>;
};

/** Values for examples, from a generated business. */
type Generated = {
  /** Returns an object as events of this type contain it. */
  objectOf: (type: EventType) => object;
  /** Returns the envelope of an event. */
  eventOf: (type: EventType) => object | undefined;
  /** Returns a page of a list that contains this single object. */
  pageOf: (object: unknown) => unknown;
  customer: object;
  endpoint: object;
  delivery: object;
};

import type { Schemas } from "../../../client/index.ts";

export type Key = Schemas["KeyResponse"]["data"];
export type Endpoint = Schemas["EndpointResponse"]["data"];
export type Delivery = Schemas["DeliveryList"]["data"][number];
export type DeliveryDetail = Schemas["DeliveryResponse"]["data"];

/** What the server puts into the page. */
export type PageProps = {
  /** The slug in the path. */
  slug: string;
  /** The path of the server, without a trailing slash. */
  base: string;
  /** The event types, by their group. */
  eventTypes: Readonly<Record<string, readonly string[]>>;
};

/** A filter of deliveries, with the names of the API's parameters. */
export type DeliveryFilter = {
  endpointId?: string;
  eventType?: Delivery["eventType"];
  status?: Delivery["status"];
  since?: string;
  until?: string;
};

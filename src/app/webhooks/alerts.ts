import type { EndpointRow } from "../../store/endpoints.ts";
import type { Runtime } from "../runtime.ts";

export type AlertType =
  | "endpoint.failing"
  | "endpoint.disable_scheduled"
  | "endpoint.disabled"
  | "endpoint.recovered"
  | "delivery.exhausted";

/** Something that the operator should hear of. As JSON it is what Slack, Mattermost and ntfy understand. */
export type Alert = {
  text: string;
  type: AlertType;
  /** Its slug. */
  business: string;
  endpoint: { id: string; name: string; url: string };
  at: string;
};

export type AlertedEndpoint = Pick<EndpointRow, "id" | "businessId" | "name" | "url">;

/** @param what follows "Webhook endpoint 'name' of slug …" */
export function makeAlert(
  rt: Runtime,
  type: AlertType,
  endpoint: AlertedEndpoint,
  what: string,
): Alert {
  const { id, name, url } = endpoint;
  const business = rt.store.businesses.findById(endpoint.businessId)?.slug ?? endpoint.businessId;
  return {
    text: `Webhook endpoint '${name}' of ${business} ${what}`,
    type,
    business,
    endpoint: { id, name, url },
    at: new Date(rt.now()).toISOString(),
  };
}

import type { EndpointRow } from "../../store/endpoints.ts";
import type { ConditionCode } from "../../domain/conditions/registry.ts";
import { slugOf } from "../businesses.ts";
import type { Runtime } from "../runtime.ts";

export type AlertType =
  | "endpoint.failing"
  | "endpoint.disable_scheduled"
  | "endpoint.disabled"
  | "endpoint.recovered"
  | "delivery.exhausted"
  | "history.cut"
  | ConditionCode;

/** An alert for the operator. Slack, Mattermost and ntfy accept its JSON. */
export type Alert = {
  text: string;
  type: AlertType;
  /** Both are null if the alert is about the whole server. */
  business: string | null;
  endpoint: { id: string; name: string; url: string } | null;
  at: string;
};

/** An alert about the whole server. */
export const makeServerAlert = (rt: Runtime, type: AlertType, text: string): Alert => ({
  text,
  type,
  business: null,
  endpoint: null,
  at: new Date(rt.now()).toISOString(),
});

export type AlertedEndpoint = Pick<EndpointRow, "id" | "businessId" | "name" | "url">;

/** @param what continues the sentence "Webhook endpoint 'name' of slug …" */
export function makeAlert(
  rt: Runtime,
  type: AlertType,
  endpoint: AlertedEndpoint,
  what: string,
): Alert {
  const { id, name, url } = endpoint;
  const business = slugOf(rt, endpoint.businessId);
  return {
    text: `Webhook endpoint '${name}' of ${business} ${what}`,
    type,
    business,
    endpoint: { id, name, url },
    at: new Date(rt.now()).toISOString(),
  };
}

import { deleteEndpoint } from "../../../app/webhooks/endpoint-lifecycle.ts";
import { updateEndpoint } from "../../../app/webhooks/endpoints.ts";
import { getOwnEndpoint } from "../../../app/webhooks/own-webhooks.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { Credential } from "../../../store/keys.ts";
import { readJsonObject } from "../../pipeline/body.ts";
import { type HttpResponse, respond, type RequestContext } from "../../pipeline/request-context.ts";
import { getTimezone, respondData } from "../../pipeline/business-response.ts";
import { parseParameters } from "../../pipeline/parameters.ts";
import { toPublicEndpoint } from "./public-webhooks.ts";
import { createEndpointBody } from "./endpoints.ts";
import { retryWhileBusy } from "../../pipeline/write-retry.ts";

export const updateEndpointBody = createEndpointBody.partial();

export const pathId = ({ request }: RequestContext): string => request.params["id"] ?? "";

export const getEndpoint =
  (rt: Runtime) =>
  (context: RequestContext, key: Credential): HttpResponse => {
    parseParameters({}, context.request.search);
    const endpoint = getOwnEndpoint(rt, key, pathId(context));
    return respondData(context, toPublicEndpoint(endpoint, getTimezone(rt, key)));
  };

export const handleUpdateEndpoint =
  (rt: Runtime) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    parseParameters({}, context.request.search);
    const { name, url, events, ...others } = await readJsonObject(context);
    const { id } = getOwnEndpoint(rt, key, pathId(context));
    const changes = { name, url, events, byPartner: true, unknownFields: Object.keys(others) };
    const endpoint = await retryWhileBusy(rt, () => updateEndpoint(rt, id, changes));
    return respondData(context, toPublicEndpoint(endpoint, getTimezone(rt, key)));
  };

export const handleDeleteEndpoint =
  (rt: Runtime) =>
  async (context: RequestContext, key: Credential): Promise<HttpResponse> => {
    parseParameters({}, context.request.search);
    const { id } = getOwnEndpoint(rt, key, pathId(context));
    await retryWhileBusy(rt, () => deleteEndpoint(rt, id));
    return respond(context, 204, []);
  };

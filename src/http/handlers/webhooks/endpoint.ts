import { deleteEndpoint } from "../../../app/webhooks/endpoint-lifecycle.ts";
import { updateEndpoint } from "../../../app/webhooks/endpoints.ts";
import { getOwnEndpoint } from "../../../app/webhooks/own-webhooks.ts";
import type { Runtime } from "../../../app/runtime.ts";
import type { Credential } from "../../../store/keys.ts";
import { readJsonObject } from "../../pipeline/body.ts";
import {
  type HttpResponse,
  respondJson,
  respond,
  type RequestContext,
} from "../../pipeline/request-context.ts";
import { PRIVATE, getTimezone } from "../../pipeline/business-response.ts";
import { parseParameters } from "../../pipeline/parameters.ts";
import { toPublicEndpoint } from "./public-webhooks.ts";
import { createEndpointBody } from "./endpoints.ts";
import { retryWhileBusy } from "../../pipeline/write-retry.ts";

export const updateEndpointBody = createEndpointBody.partial();

export const pathId = ({ request: asked }: RequestContext): string => asked.params["id"] ?? "";

export const getEndpoint =
  (rt: Runtime) =>
  (call: RequestContext, key: Credential): HttpResponse => {
    parseParameters({}, call.request.search);
    const endpoint = getOwnEndpoint(rt, key, pathId(call));
    return respondJson(
      call,
      200,
      { data: toPublicEndpoint(endpoint, getTimezone(rt, key)) },
      PRIVATE,
    );
  };

export const handleUpdateEndpoint =
  (rt: Runtime) =>
  async (call: RequestContext, key: Credential): Promise<HttpResponse> => {
    parseParameters({}, call.request.search);
    const { name, url, events, ...others } = await readJsonObject(call);
    const { id } = getOwnEndpoint(rt, key, pathId(call));
    const changes = { name, url, events, byPartner: true, unknownFields: Object.keys(others) };
    const endpoint = await retryWhileBusy(rt, () => updateEndpoint(rt, id, changes));
    return respondJson(
      call,
      200,
      { data: toPublicEndpoint(endpoint, getTimezone(rt, key)) },
      PRIVATE,
    );
  };

export const handleDeleteEndpoint =
  (rt: Runtime) =>
  async (call: RequestContext, key: Credential): Promise<HttpResponse> => {
    parseParameters({}, call.request.search);
    const { id } = getOwnEndpoint(rt, key, pathId(call));
    await retryWhileBusy(rt, () => deleteEndpoint(rt, id));
    return respond(call, 204, []);
  };

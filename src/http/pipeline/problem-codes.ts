import { MAX_BODY_BYTES, MAX_URL_LENGTH } from "./request-context.ts";

/** The HTTP status of each problem code, its meaning, and what a partner should do about it. */
export const PROBLEM_CODES = {
  invalid_parameter: [
    400,
    "A parameter has an invalid value. `errors` lists each one.",
    "Fix the parameters in `errors`; each entry has its own code and detail.",
  ],
  unknown_parameter: [
    400,
    "The route has no such parameter.",
    "Check the spelling: `detail` suggests the nearest parameter.",
  ],
  missing_parameter: [
    400,
    "A required parameter is missing.",
    "Send the parameter that `errors` names.",
  ],
  invalid_cursor: [
    400,
    "The cursor was not issued by this list.",
    "Send `page.nextCursor` unchanged, with the same other parameters, or start without a cursor.",
  ],
  invalid_date: [
    400,
    "A date or time is malformed or does not exist.",
    "Send a date such as `2026-12-01`, or an instant with its offset.",
  ],
  range_too_large: [
    400,
    "The date range is longer than the maximum.",
    "Split the range into several requests.",
  ],
  missing_idempotency_key: [
    400,
    "The request needs an Idempotency-Key.",
    "Send a new random key with each request, and the same key when you repeat it.",
  ],
  invalid_json: [400, "The body is not valid UTF-8 JSON.", "Send one JSON object in UTF-8."],
  missing_key: [401, "The request has no API key.", "Send `Authorization: Bearer <API_KEY>`."],
  invalid_key: [
    401,
    "The API key is unknown or malformed. After two rotations of a key, its first secret is unknown, too.",
    "Copy the whole key again. After 60 failures in a minute, the address gets 429 responses.",
  ],
  revoked_key: [401, "The API key was revoked.", "Ask the business for a new key."],
  expired_key: [
    401,
    "The API key has expired, or the request has the secret before the newest one, and its overlap has ended.",
    "Use the newer secret of the key, or ask the business for a new key.",
  ],
  insufficient_scope: [
    403,
    "The API key does not have the required scope, or may not receive an event.",
    "Ask the business for a key with the scope or event group that `detail` names.",
  ],
  business_mismatch: [
    403,
    "The API key belongs to another business than the one in the path.",
    "Use the slug that `detail` names in the path.",
  ],
  address_not_allowed: [
    403,
    "Requests from this IP address are not allowed.",
    "Send the request from an allowed address, or ask the business to allow yours.",
  ],
  rotation_not_allowed: [
    403,
    "The API key may not rotate itself, or the request has a secret that is not its newest.",
    "Send the newest secret. Only the business can allow a key to rotate itself, and rotate a key whose newest secret is lost or stolen.",
  ],
  route_not_found: [
    404,
    "No route matches the path.",
    "Compare the path with the routes on this page.",
  ],
  business_not_found: [404, "No business has this slug.", "Ask the business for its slug."],
  resource_not_found: [
    404,
    "The object does not exist, or the API key may not access it.",
    "Read the list again. A restricted key can access only what it created.",
  ],
  method_not_allowed: [
    405,
    "The route does not support the method. `Allow` lists those it supports.",
    "Use one of the methods in `Allow`.",
  ],
  conflict: [
    409,
    "The request conflicts with the current state of the resource.",
    "See `detail` for the reason.",
  ],
  slot_taken: [
    409,
    "The start cannot be booked. `reason` says why.",
    "Offer the guest one of `alternatives`, or read `/availability` again.",
  ],
  price_changed: [
    409,
    "The total differs from `expectedTotalCents`. `totalCents` is the new one.",
    "Show the new total to the guest, and send it as `expectedTotalCents`.",
  ],
  hold_expired: [409, "The hold has expired or was released.", "Hold the time again."],
  hold_used: [
    409,
    "The hold was already used. `bookingId` or `reservationId` is what it became.",
    "Read that booking or reservation.",
  ],
  wrong_status: [
    409,
    "The action is not possible in the current status of the object, `currentStatus`.",
    "Read the object again.",
  ],
  cancellation_closed: [
    409,
    "The time for the guest to cancel or reschedule is over (`cancelUntil`).",
    "Ask the guest to contact the business.",
  ],
  duplicate_endpoint: [
    409,
    "The API key already has an endpoint with this URL and these events. `detail` names it.",
    "Use the endpoint that `detail` names, or delete it first.",
  ],
  cursor_expired: [
    410,
    "The events after the cursor are no longer kept.",
    "Call `/changes?after=latest`, read every list again, then continue with the cursor of that response.",
  ],
  version_mismatch: [
    412,
    "The object has changed: its version is not in If-Match.",
    "Read the object again, apply the change to it, and send its new ETag in If-Match.",
  ],
  body_too_large: [
    413,
    `The body is larger than ${MAX_BODY_BYTES / 1024} KiB.`,
    "Send a smaller body.",
  ],
  uri_too_long: [
    414,
    `The URL is longer than ${MAX_URL_LENGTH} characters.`,
    "Send fewer IDs per request.",
  ],
  unsupported_media_type: [
    415,
    "The body is not application/json, or it is compressed.",
    "Send `Content-Type: application/json` and no `Content-Encoding`.",
  ],
  validation_failed: [
    422,
    "The body, or a combination of parameters, is invalid. `errors` lists each field.",
    "Fix the fields that the `pointer` of each entry in `errors` names.",
  ],
  service_not_bookable: [
    422,
    "The service cannot be booked.",
    "Leave the service out of the request.",
  ],
  variant_service_mismatch: [
    422,
    "The variant belongs to another service.",
    "Use a variant from the service's `variants`.",
  ],
  addon_not_linked: [
    422,
    "The add-on cannot be booked with the service.",
    "Use an add-on from the service's `addonLinks`, within its quantities.",
  ],
  staff_cannot_perform: [
    422,
    "The staff member does not perform the service.",
    "Use a staff member from the service's `staffIds`, or omit the parameter.",
  ],
  party_too_large: [
    422,
    "No table is large enough for the party.",
    "Try a smaller party, or contact the business.",
  ],
  query_too_large: [
    422,
    "The search would take too much work. `errors` names the parameter to narrow.",
    "Ask for fewer days, services or staff members, as `detail` says.",
  ],
  idempotency_key_reused: [
    422,
    "The Idempotency-Key was already used for another request.",
    "Send a new Idempotency-Key for each request; repeat one only with the same method, path and body.",
  ],
  unsafe_url: [
    422,
    "Events cannot be sent to this URL.",
    "Use an https URL with a public address. See `detail` for the reason.",
  ],
  rate_limited: [
    429,
    "Too many requests. Retry after the number of seconds in `Retry-After`.",
    "`violatedPolicies` names the window that is full.",
  ],
  too_many_holds: [
    429,
    "The API key, its visitor or all its visitors hold too much that is not booked: times, tables or unpaid tickets.",
    "Confirm or release other holds first, or book without a hold. A website names its visitors in Visitor-Id, so that each has a limit of their own.",
  ],
  too_many_bookings: [
    429,
    "The visitor or the API key has booked as much in 24 hours as it can.",
    "Ask the visitor to call the business.",
  ],
  too_many_redeliveries: [
    429,
    "As many redeliveries of the key's endpoints are pending as it may have.",
    "Wait until they have been sent: `limits.redeliveries` of `GET …/key` counts them.",
  ],
  busy: [
    503,
    "The server is busy. Retry after the number of seconds in `Retry-After`.",
    "Send the request again later.",
  ],
  shutting_down: [
    503,
    "The server is shutting down. Retry after the number of seconds in `Retry-After`.",
    "The server is usually being restarted.",
  ],
  storage_full: [
    503,
    "The server's disk is full, so nothing can be written.",
    "Tell the business and try again later.",
  ],
  storage_failed: [
    503,
    "The server cannot read or write its data.",
    "Tell the business and try again later.",
  ],
  signing_unavailable: [
    503,
    "The server cannot read the signing secrets, so nothing can be signed.",
    "Tell the business and try again later.",
  ],
  internal: [
    500,
    "Internal error. Report the `requestId` to the business.",
    "Send the request again once before you report it.",
  ],
  // The codes below are used by transport/hardening.ts, before a request reaches a route.
  malformed_request: [
    400,
    "The request is not valid HTTP, or it is ambiguous.",
    "Check the proxy between you and the server; HTTP libraries do not cause it.",
  ],
  request_timeout: [
    408,
    "The request took too long to arrive.",
    "Send the whole request within 10 seconds.",
  ],
  headers_too_large: [
    431,
    "The request headers are larger than 16 KiB.",
    "Send fewer or shorter headers; cookies are not needed.",
  ],
  not_implemented: [
    501,
    "The server does not support the method or the transfer encoding.",
    "Use the methods documented on this page.",
  ],
  version_not_supported: [505, "The server supports only HTTP/1.1 and HTTP/1.0.", "Use HTTP/1.1."],
} as const satisfies Record<string, readonly [status: number, meaning: string, advice: string]>;

export type HttpCode = keyof typeof PROBLEM_CODES;
export const HTTP_CODES = Object.keys(PROBLEM_CODES) as HttpCode[];
export const statusOf = (code: HttpCode): number => PROBLEM_CODES[code][0];
export const meaningOf = (code: HttpCode): string => PROBLEM_CODES[code][1];

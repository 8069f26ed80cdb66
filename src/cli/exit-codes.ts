import type { ErrorCode } from "../domain/errors.ts";

/**
 * Exit codes. 129, 130, 141 and 143 are the shell's codes for SIGHUP, SIGINT, SIGPIPE and SIGTERM.
 */
export const EXIT = {
  ok: 0,
  failure: 1,
  usage: 2,
  notFound: 3,
  permission: 4,
  conflict: 5,
  someFailed: 6,
  invalidInput: 7,
  differences: 8,
  hungUp: 129,
  interrupted: 130,
  brokenPipe: 141,
  terminated: 143,
} as const;

/** The exit code of each error code. */
export const EXIT_CODE_OF = {
  usage: EXIT.usage,
  invalid_parameter: EXIT.usage,
  unknown_parameter: EXIT.usage,
  missing_parameter: EXIT.usage,
  invalid_cursor: EXIT.usage,
  invalid_date: EXIT.usage,
  range_too_large: EXIT.usage,

  route_not_found: EXIT.notFound,
  method_not_allowed: EXIT.notFound,
  business_not_found: EXIT.notFound,
  resource_not_found: EXIT.notFound,

  not_permitted: EXIT.permission,
  missing_key: EXIT.permission,
  invalid_key: EXIT.permission,
  revoked_key: EXIT.permission,
  expired_key: EXIT.permission,
  insufficient_scope: EXIT.permission,
  business_mismatch: EXIT.permission,
  address_not_allowed: EXIT.permission,

  state_refuses: EXIT.conflict,
  conflict: EXIT.conflict,
  cursor_expired: EXIT.conflict,
  idempotency_key_reused: EXIT.conflict,
  service_not_bookable: EXIT.conflict,
  rate_limited: EXIT.conflict,
  busy: EXIT.conflict,
  shutting_down: EXIT.conflict,
  storage_full: EXIT.conflict,
  signing_unavailable: EXIT.conflict,

  invalid_input: EXIT.invalidInput,
  invalid_json: EXIT.invalidInput,
  validation_failed: EXIT.invalidInput,
  variant_service_mismatch: EXIT.invalidInput,
  addon_not_linked: EXIT.invalidInput,
  staff_cannot_perform: EXIT.invalidInput,
  party_too_large: EXIT.invalidInput,
  query_too_large: EXIT.invalidInput,
  unsafe_url: EXIT.invalidInput,
  body_too_large: EXIT.invalidInput,
  uri_too_long: EXIT.invalidInput,
  unsupported_media_type: EXIT.invalidInput,
} as const satisfies Record<ErrorCode, number>;

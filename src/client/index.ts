// The client of the API that partners install: `createClient`, `verifyWebhook` and `createMirror`.
// It has no dependencies and runs in browsers, Node 20, Deno, Bun and Workers.

export { type ClientOptions, createClient } from "./client.ts";
export { DeskbellError, type ErrorCode, type Problem } from "./errors.ts";
export type {
  Arguments,
  DeskbellClient,
  DeskbellEvent,
  OperationId,
  Reply,
  Result,
  Schemas,
} from "./types.ts";
export {
  verifyWebhook,
  WebhookError,
  type WebhookErrorReason,
  type WebhookOptions,
} from "./webhook.ts";
export {
  createMirror,
  type FollowOptions,
  type Mirror,
  type MirrorChange,
  type MirrorOptions,
} from "./mirror.ts";
export type { MirrorList, MirrorLists } from "./mirror-lists.ts";
export { createMemoryStorage, type MirrorEntry, type MirrorStorage } from "./mirror-storage.ts";

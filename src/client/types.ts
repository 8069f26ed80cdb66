import type { components, operations } from "./generated/api.ts";
import type { OPERATIONS } from "./generated/operations.ts";

// The types of the client's methods, derived from those that the build generates from the OpenAPI
// document.

export type Schemas = components["schemas"];

/** An event, as a webhook or the feed carries it. Ignore types that you do not know. */
export type DeskbellEvent = Schemas["KnownEvent"];

/** The operations of the API that a key of a business can call. */
export type OperationId = keyof typeof OPERATIONS & keyof operations;

/** Makes one object type of an intersection, so that editors list its properties. */
type Flat<T> = { [K in keyof T]: T[K] } & {};

/** `If-Match` -> `ifMatch` */
type Camel<T> = T extends `${infer Head}-${infer Tail}`
  ? `${Uncapitalize<Head>}${Tail extends `${infer A}-${infer B}` ? `${A}${B}` : Tail}`
  : T extends string
    ? Uncapitalize<T>
    : never;

type Parameters<Id extends OperationId> = operations[Id]["parameters"];

type PathArguments<Id extends OperationId> = Omit<Parameters<Id>["path"], "businessSlug">;

/** The parameters of an operation in its query or headers; no properties if there are none. */
type Given<Id extends OperationId, Place extends "query" | "header"> = [
  NonNullable<Parameters<Id>[Place]>,
] extends [never]
  ? object
  : NonNullable<Parameters<Id>[Place]>;

/** The headers of an operation. All are optional, because the client makes the Idempotency-Key. */
type HeaderArguments<Id extends OperationId> = {
  [K in keyof Given<Id, "header"> as K extends "If-None-Match" ? never : Camel<K>]?:
    | Given<Id, "header">[K]
    | undefined;
};

/** The `body` of an operation: required, absent or optional, as the document says. */
type BodyArguments<Id extends OperationId> = operations[Id] extends {
  requestBody: { content: { "application/json": infer Body } };
}
  ? { body: Body }
  : [NonNullable<operations[Id]["requestBody"]>] extends [never]
    ? object
    : operations[Id] extends { requestBody?: { content: { "application/json": infer Body } } }
      ? { body?: Body }
      : object;

type PreviousArguments<Id extends OperationId> = operations[Id]["responses"] extends {
  304: unknown;
}
  ? {
      /** An earlier result. If nothing has changed, its data are returned with status 304. */
      previous?: Result<Id> | undefined;
    }
  : object;

/** The argument of an operation: its IDs, query parameters, headers and body. */
export type Arguments<Id extends OperationId> = Flat<
  PathArguments<Id> &
    Given<Id, "query"> &
    HeaderArguments<Id> &
    BodyArguments<Id> &
    PreviousArguments<Id> & { signal?: AbortSignal | undefined }
>;

type Json<Response> = Response extends { content: { "application/json": infer Body } }
  ? Body
  : never;

type BodyOf<Id extends OperationId> = {
  [Status in keyof operations[Id]["responses"]]: Status extends 200 | 201 | 202
    ? Json<operations[Id]["responses"][Status]>
    : never;
}[keyof operations[Id]["responses"]];

/** What the client adds to the body of a response. */
export type ResponseInfo = {
  status: number;
  headers: Headers;
  /** Pass it as `ifMatch` of a change; null if the response has none. */
  etag: string | null;
};

/** The result of an operation: the body of the response, with its status and headers. */
export type Result<Id extends OperationId> = Flat<
  ([BodyOf<Id>] extends [never] ? object : BodyOf<Id>) & ResponseInfo
>;

type Item<Id extends OperationId> =
  BodyOf<Id> extends { data: (infer T)[]; page: { nextCursor: string | null } } ? T : never;

/** A promise of the result. The reply of a list also iterates over its objects, page by page. */
export type Reply<Id extends OperationId> = Promise<Result<Id>> &
  ([Item<Id>] extends [never] ? unknown : AsyncIterable<Item<Id>>);

type Method<Id extends OperationId> =
  object extends Arguments<Id>
    ? (args?: Arguments<Id>) => Reply<Id>
    : (args: Arguments<Id>) => Reply<Id>;

/** A client of one business: a method for each operation, with the name of its operation ID. */
export type DeskbellClient = { readonly [Id in OperationId]: Method<Id> };

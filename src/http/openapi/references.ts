/** The `$ref` of a component of the OpenAPI document. */
export const refTo = (
  kind: "schemas" | "headers" | "responses" | "parameters",
  name: string,
): string => `#/components/${kind}/${name}`;

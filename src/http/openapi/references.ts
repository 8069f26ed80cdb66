/** Points at a part of the description. */
export const refTo = (
  kind: "schemas" | "headers" | "responses" | "parameters",
  name: string,
): string => `#/components/${kind}/${name}`;

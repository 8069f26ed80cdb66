import { type Catalog, type DocOf, emptyObjects, type Kind } from "./catalog.ts";
import { exportCatalog } from "./write/export.ts";
import { validateCatalog } from "./validate.ts";
import { KIND_NAMES, quote } from "./validation-issue.ts";
import { AppError } from "../errors.ts";

/**
 * Holds an object that was edited outside a file against the rules of files: it is written as a file would and read again.
 * @param before the catalog in which the object is to take its place
 * @throws AppError invalid_input with every mistake
 */
export function assertValidObject<K extends Kind>(before: Catalog, kind: K, doc: DocOf[K]): void {
  const alone = exportCatalog({ ...before, objects: { ...emptyObjects(), [kind]: [doc] } });
  const { issues } = validateCatalog([alone], {
    current: () => before,
    prune: false,
    seedingAt: null,
  });
  const [first] = issues;
  if (first === undefined) return;
  throw new AppError(
    "invalid_input",
    `The ${KIND_NAMES[kind]} ${quote(doc.key)} cannot be like that. ${first.detail}`,
    {
      issues: issues.map(({ code, detail }) => ({ code, detail })),
    },
  );
}

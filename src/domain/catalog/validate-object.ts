import { type Catalog, type DocOf, emptyObjects, type Kind } from "./catalog.ts";
import { KIND_NAMES } from "./kind-names.ts";
import { validateCatalog } from "./validate.ts";
import { exportCatalog } from "./file/export.ts";
import { AppError } from "../errors.ts";
import { quote } from "../text.ts";

/**
 * Applies the rules of catalog files to an object that a command edited.
 * @throws AppError invalid_input that lists every issue
 */
export function assertValidObject<K extends Kind>(current: Catalog, kind: K, doc: DocOf[K]): void {
  const file = exportCatalog({ ...current, objects: { ...emptyObjects(), [kind]: [doc] } });
  const { issues } = validateCatalog([file], {
    current: () => current,
    prune: false,
    seedingAt: null,
  });
  const [first] = issues;
  if (first === undefined) return;
  throw new AppError(
    "invalid_input",
    `Invalid ${KIND_NAMES[kind]} ${quote(doc.key)}: ${first.detail}`,
    { issues: issues.map(({ code, detail }) => ({ code, detail })) },
  );
}

import type { Catalog } from "../catalog.ts";
import { writeBusiness, writeClosure } from "./business.ts";
import type { AuthoredFile } from "./schema.ts";
import { SECTION_KINDS, sectionOf, setAt } from "./sections.ts";
import { createWriteContext, writeOpeningException, writeHoursRule } from "./writer.ts";

/**
 * The catalog as a file that reads back as the same catalog. It has all sections, including empty
 * ones, so that applying it with `--prune` always results in exactly this catalog.
 */
export function exportCatalog(catalog: Catalog): AuthoredFile {
  const context = createWriteContext(catalog);
  const file = writeBusinessFields(catalog);
  for (const kind of SECTION_KINDS) {
    const { path, write } = sectionOf(kind);
    setAt(
      file,
      path,
      catalog.objects[kind].map((doc) => write(context, doc)),
    );
  }
  return file;
}

/** The file without objects. */
export const writeBusinessFields = ({ business, schedule }: Catalog): AuthoredFile => ({
  catalog: 1,
  business: writeBusiness(business),
  hours: schedule.hours.map(writeHoursRule),
  closures: schedule.closures.map(writeClosure),
  exceptions: schedule.exceptions.map(writeOpeningException),
  turnTimes: schedule.turnTimes,
});

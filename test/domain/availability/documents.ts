import type { AreaDoc, ResourceDoc, TableDoc } from "../../../src/domain/catalog/catalog.ts";

const common = (key: string) => ({
  key,
  previousKeys: [] as string[],
  name: key,
  status: "ACTIVE" as const,
  images: [],
  translations: {},
});

export const buildResource = (key: string, fields: Partial<ResourceDoc> = {}): ResourceDoc => ({
  ...common(key),
  capacity: 1,
  ...fields,
});

export const buildArea = (key: string, fields: Partial<AreaDoc> = {}): AreaDoc => ({
  ...common(key),
  ...fields,
});

export const buildTable = (key: string, fields: Partial<TableDoc> = {}): TableDoc => ({
  ...common(key),
  area: null,
  minSeats: 1,
  maxSeats: 2,
  ...fields,
});

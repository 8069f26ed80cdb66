import type { Kind } from "./catalog.ts";

export const KIND_NAMES: Record<Kind, string> = {
  service_category: "service category",
  addon: "add-on",
  service: "service",
  resource: "resource",
  staff: "staff member",
  menu_category: "menu category",
  modifier_group: "modifier group",
  menu_item: "menu item",
  area: "area",
  table: "table",
  promotion: "promotion",
  public_event: "event",
};

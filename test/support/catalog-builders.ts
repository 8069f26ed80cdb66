import { readPublicFields } from "../../src/domain/catalog/file/public-page.ts";
import { isoCurrency } from "../../src/domain/money.ts";
import {
  type AddonDoc,
  type AddonLinkDoc,
  type AreaDoc,
  type Catalog,
  type CatalogObjects,
  emptyObjects,
  emptySchedule,
  type PromotionDoc,
  type PublicEventDoc,
  type ResourceDoc,
  type ServiceCategoryDoc,
  type ServiceDoc,
  type StaffDoc,
  type TableDoc,
  type TicketTypeDoc,
  type VariantDoc,
} from "../../src/domain/catalog/catalog.ts";
import type { MenuItemDoc, ModifierGroupDoc } from "../../src/domain/catalog/menu.ts";
import { MENU_ITEM_DEFAULTS } from "../../src/domain/catalog/file/menu.ts";
import {
  APPLIES_TO_DEFAULTS,
  PROMOTION_CONDITION_DEFAULTS,
  PROMOTION_DEFAULTS,
} from "../../src/domain/catalog/file/promotions.ts";
import {
  PUBLIC_EVENT_DEFAULTS,
  TICKET_TYPE_DEFAULTS,
} from "../../src/domain/catalog/file/public-events.ts";
import {
  BOOKING_POLICY_DEFAULTS,
  BUSINESS_DEFAULTS,
} from "../../src/domain/catalog/file/business.ts";
import {
  BOOKING_RULE_DEFAULTS,
  SERVICE_CATEGORY_DEFAULTS,
  SERVICE_DEFAULTS,
} from "../../src/domain/catalog/file/services.ts";
import { STAFF_DEFAULTS } from "../../src/domain/catalog/file/staff.ts";

// Builders of minimal catalog documents: a test only passes the fields that it is about.

const common = (key: string) => ({
  key,
  previousKeys: [] as string[],
  name: key,
  status: "ACTIVE" as const,
  images: [],
  translations: {},
});

export const buildVariant = (key: string, fields: Partial<VariantDoc> = {}): VariantDoc => ({
  ...common(key),
  description: null,
  durationMin: 30,
  priceCents: 3000,
  isDefault: false,
  staff: null,
  attributes: {},
  ...fields,
});

export const buildAddonLink = (
  addon: string,
  fields: Partial<AddonLinkDoc> = {},
): AddonLinkDoc => ({
  addon,
  required: false,
  minQuantity: 0,
  maxQuantity: 1,
  defaultQuantity: 0,
  priceCents: null,
  durationMin: null,
  ...fields,
});

export const buildService = (key: string, fields: Partial<ServiceDoc> = {}): ServiceDoc => ({
  ...common(key),
  description: null,
  durationMin: 30,
  priceCents: 3000,
  ...structuredClone(SERVICE_DEFAULTS),
  resources: [],
  bookingRules: structuredClone(BOOKING_RULE_DEFAULTS),
  depositCents: null,
  variants: [],
  addons: [],
  ...fields,
});

export const buildAddon = (key: string, fields: Partial<AddonDoc> = {}): AddonDoc => ({
  ...common(key),
  description: null,
  priceCents: 500,
  durationMin: 10,
  maxQuantity: 1,
  ...fields,
});

export const buildServiceCategory = (
  key: string,
  fields: Partial<ServiceCategoryDoc> = {},
): ServiceCategoryDoc => ({
  ...common(key),
  description: null,
  ...structuredClone(SERVICE_CATEGORY_DEFAULTS),
  ...fields,
});

export const buildStaffMember = (key: string, fields: Partial<StaffDoc> = {}): StaffDoc => ({
  ...common(key),
  ...structuredClone(STAFF_DEFAULTS),
  bio: null,
  hours: null,
  breaks: [],
  timeOff: [],
  exceptions: [],
  serviceOverrides: [],
  ...fields,
});

export const buildMenuItem = (key: string, fields: Partial<MenuItemDoc> = {}): MenuItemDoc => ({
  ...common(key),
  description: null,
  priceCents: 1200,
  ...structuredClone(MENU_ITEM_DEFAULTS),
  sizes: [],
  availability: null,
  ...fields,
});

export const buildModifierGroup = (
  key: string,
  fields: Partial<ModifierGroupDoc> = {},
): ModifierGroupDoc => ({
  ...common(key),
  minSelections: 0,
  maxSelections: 1,
  options: [],
  ...fields,
});

export const buildPromotion = (key: string, fields: Partial<PromotionDoc> = {}): PromotionDoc => ({
  ...common(key),
  description: null,
  benefit: { type: "PERCENT_OFF", percentBps: 1000, maxAmountCents: null },
  appliesTo: { all: true, ...structuredClone(APPLIES_TO_DEFAULTS) },
  conditions: { minSubtotalCents: null, ...structuredClone(PROMOTION_CONDITION_DEFAULTS) },
  schedule: { startsAt: null, endsAt: null, weekly: [], excludeDates: [] },
  ...structuredClone(PROMOTION_DEFAULTS),
  ...fields,
});

export const buildTicketType = (
  key: string,
  fields: Partial<TicketTypeDoc> = {},
): TicketTypeDoc => ({
  ...common(key),
  description: null,
  priceCents: 2500,
  ...structuredClone(TICKET_TYPE_DEFAULTS),
  salesStartAt: null,
  salesEndAt: null,
  maxPerOrder: 10,
  ...fields,
});

export const buildPublicEvent = (
  key: string,
  fields: Partial<PublicEventDoc> = {},
): PublicEventDoc => ({
  ...common(key),
  ...structuredClone(PUBLIC_EVENT_DEFAULTS),
  slug: key,
  description: null,
  startsAt: Date.parse("2026-12-01T19:00:00Z"),
  endsAt: Date.parse("2026-12-01T22:00:00Z"),
  doorsAt: null,
  venue: null,
  ticketTypes: [],
  quotas: [],
  ...fields,
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

export const buildCatalog = (
  objects: Partial<CatalogObjects> = {},
  business: Partial<Catalog["business"]> = {},
): Catalog => ({
  business: {
    slug: "salon-aurora",
    name: "Salon Aurora",
    timezone: "America/New_York",
    ...isoCurrency("USD"),
    locale: "en",
    locales: ["en"],
    description: null,
    ...structuredClone(BUSINESS_DEFAULTS),
    address: null,
    bookingPolicy: structuredClone(BOOKING_POLICY_DEFAULTS),
    ...readPublicFields({}),
    ...business,
  },
  schedule: emptySchedule(),
  objects: { ...emptyObjects(), ...objects },
});

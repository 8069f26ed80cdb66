import {
  type AddonDoc,
  type AddonLinkDoc,
  type Catalog,
  type CatalogObjects,
  emptyObjects,
  emptySchedule,
  type MenuItemDoc,
  type ModifierGroupDoc,
  type PromotionDoc,
  type PublicEventDoc,
  type ServiceCategoryDoc,
  type ServiceDoc,
  type StaffDoc,
  type TicketTypeDoc,
  type VariantDoc,
} from "../../src/domain/catalog/catalog.ts";

// Documents as small as they can be: a test names only what it is about.

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
  category: null,
  durationMin: 30,
  priceCents: 3000,
  priceType: "FIXED",
  capacity: 1,
  bookable: true,
  locationType: "ON_SITE",
  bufferBeforeMin: 0,
  bufferAfterMin: 0,
  resources: [],
  bookingRules: { slotIntervalMin: null, minNoticeMin: null, maxAdvanceDays: null },
  depositCents: null,
  staff: [],
  tags: [],
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
  color: null,
  parent: null,
  ...fields,
});

export const buildStaffMember = (key: string, fields: Partial<StaffDoc> = {}): StaffDoc => ({
  ...common(key),
  title: null,
  bio: null,
  languages: [],
  public: true,
  bookable: true,
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
  categories: [],
  priceCents: 1200,
  priceType: "FIXED",
  sizes: [],
  modifierGroups: [],
  allergens: [],
  mayContain: [],
  dietary: [],
  spicyLevel: null,
  calories: null,
  containsAlcohol: false,
  availability: null,
  tags: [],
  sku: null,
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
  appliesTo: {
    all: true,
    services: [],
    serviceCategories: [],
    menuItems: [],
    menuCategories: [],
    events: [],
    ticketTypes: [],
  },
  conditions: {
    minSubtotalCents: null,
    minQuantity: null,
    firstVisitOnly: false,
    maxUses: null,
    maxUsesPerCustomer: null,
  },
  schedule: { startsAt: null, endsAt: null, weekly: [], excludeDates: [] },
  code: null,
  stackable: false,
  priority: 0,
  ...fields,
});

export const buildTicketType = (
  key: string,
  fields: Partial<TicketTypeDoc> = {},
): TicketTypeDoc => ({
  ...common(key),
  description: null,
  kind: "PAID",
  priceCents: 2500,
  salesStartAt: null,
  salesEndAt: null,
  minPerOrder: 1,
  maxPerOrder: 10,
  showRemaining: true,
  ...fields,
});

export const buildPublicEvent = (
  key: string,
  fields: Partial<PublicEventDoc> = {},
): PublicEventDoc => ({
  ...common(key),
  status: "PUBLISHED",
  slug: key,
  description: null,
  startsAt: Date.parse("2026-12-01T19:00:00Z"),
  endsAt: Date.parse("2026-12-01T22:00:00Z"),
  doorsAt: null,
  venue: null,
  attendanceMode: "IN_PERSON",
  ticketTypes: [],
  quotas: [],
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
    currency: "USD",
    locale: "en",
    locales: ["en"],
    description: null,
    phone: null,
    email: null,
    websiteUrl: null,
    address: null,
    bookingPolicy: {
      slotIntervalMin: 15,
      minNoticeMin: 60,
      maxAdvanceDays: 90,
      bufferPolicy: "MAX",
      grid: "CLOCK",
      maxGapMin: 0,
    },
    ...business,
  },
  schedule: emptySchedule(),
  objects: { ...emptyObjects(), ...objects },
});

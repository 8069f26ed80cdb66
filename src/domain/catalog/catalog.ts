import type {
  Common,
  Described,
  ImageDoc,
  LocalDate,
  Named,
  Presented,
  WallTime,
  WeeklyWindow,
} from "./common.ts";
import type { BusinessType } from "./business-types.ts";
import type { MenuCategoryDoc, MenuItemDoc, ModifierGroupDoc } from "./menu.ts";

/**
 * A catalog after its files were read: with defaults filled in, prices in minor units, instants in
 * epoch milliseconds, and references by key. The store keeps this form, and domain/public turns it
 * into the objects that partners get.
 */
export type Catalog = {
  business: BusinessDoc;
  schedule: ScheduleDoc;
  objects: CatalogObjects;
};

/** Each list is in the order in which partners see it. */
export type CatalogObjects = { [K in Kind]: DocOf[K][] };

export type DocOf = {
  service_category: ServiceCategoryDoc;
  addon: AddonDoc;
  service: ServiceDoc;
  resource: ResourceDoc;
  staff: StaffDoc;
  menu_category: MenuCategoryDoc;
  modifier_group: ModifierGroupDoc;
  menu_item: MenuItemDoc;
  area: AreaDoc;
  table: TableDoc;
  promotion: PromotionDoc;
  public_event: PublicEventDoc;
};

export type Kind = keyof DocOf;

export type HoursRule = WeeklyWindow & { validFrom: LocalDate | null; validTo: LocalDate | null };
/** A closed period. Both dates are included; `yearly` is `MM-DD`. */
export type Closure = { name: string | null } & (
  | { from: LocalDate; to: LocalDate }
  | { yearly: string }
);
export type HoursException = {
  date: LocalDate;
  mode: "REPLACE" | "ADD" | "REMOVE";
  intervals: { start: WallTime; end: WallTime }[];
};
/**
 * An exception to the opening hours of the business. ONLY replaces these hours and limits the hours
 * of all staff to the intervals.
 */
export type OpeningException = Omit<HoursException, "mode"> & {
  mode: HoursException["mode"] | "ONLY";
};

export type BusinessDoc = {
  slug: string;
  name: string;
  timezone: string;
  currency: string;
  /**
   * The number of decimals in prices. If a later version of deskbell has another number for the
   * currency, the stored one stays until a catalog file is applied.
   */
  currencyDigits: number;
  locale: string;
  locales: string[];
  description: string | null;
  phone: string | null;
  email: string | null;
  websiteUrl: string | null;
  address: string | null;
  bookingPolicy: {
    slotIntervalMin: number;
    minNoticeMin: number;
    maxAdvanceDays: number;
    /** Whether the buffers of two visits that follow each other overlap (MAX) or add up (SUM). */
    bufferPolicy: "MAX" | "SUM";
    /** Whether the grid of start times begins at midnight (CLOCK) or with each shift (OPENING). */
    grid: "CLOCK" | "OPENING";
    /** The longest wait between two services of a visit. */
    maxGapMin: number;
    /** Whether a booking is PENDING until the business approves it. */
    requiresApproval: boolean;
    /** A guest can cancel or move a booking until this many minutes before its start. */
    cancelUntilMin: number;
  };
  /** How long after a visit the guest's personal data is kept. */
  guestRetentionDays: number;
  /** A type of schema.org; null if the file has none. */
  type: BusinessType | null;
  postalAddress: {
    street: string;
    locality: string;
    region: string | null;
    postalCode: string | null;
    /** An ISO 3166-1 code such as CH. */
    country: string;
  } | null;
  /** The position in degrees. */
  geo: { latitude: number; longitude: number } | null;
  images: ImageDoc[];
  priceRange: string | null;
  /** Profiles and other pages of the business. */
  links: { url: string; name: string | null }[];
  legal: { privacyUrl: string | null; imprintUrl: string | null; imprint: string | null };
  publicPage: PublicPageDoc;
};

/** The page for guests at /b/{slug}. */
export type PublicPageDoc = {
  enabled: boolean;
  /** Whether guests can book on the page, and whether a visit is then PENDING or CONFIRMED. */
  booking: "OFF" | "REQUEST" | "CONFIRM";
  /** The origins of the websites that may show the booking page in a frame. */
  embedOrigins: string[];
  /** The terms of ticket orders that guests make on the page. */
  orders: {
    /** How long an unpaid order keeps its tickets, at most until the event begins. */
    payWithinHours: number;
    /** The largest share of a quota that unpaid orders of the page can keep. */
    maxQuotaPercent: number;
  };
  theme: { accent: string | null; logo: string | null };
};

/** Sections without keyed objects. Applying a file leaves the sections that it lacks unchanged. */
export type ScheduleDoc = {
  hours: HoursRule[];
  closures: Closure[];
  exceptions: OpeningException[];
  /** How many minutes (`min`) a party of up to `upTo` guests keeps its table. */
  turnTimes: { upTo: number; min: number }[];
};

export type ServiceCategoryDoc = Described & {
  color: string | null;
  parent: string | null;
};

export type AddonDoc = Described & {
  priceCents: number;
  durationMin: number;
  maxQuantity: number;
};

export type VariantDoc = Described & {
  durationMin: number;
  priceCents: number;
  isDefault: boolean;
  /** Keys of the staff who perform the variant; null: the staff of the service. */
  staff: string[] | null;
  attributes: Record<string, string>;
};

export type AddonLinkDoc = {
  addon: string;
  required: boolean;
  minQuantity: number;
  maxQuantity: number;
  defaultQuantity: number;
  /** Price and duration with this service; null: those of the add-on. */
  priceCents: number | null;
  durationMin: number | null;
};

export type ServiceDoc = Described & {
  category: string | null;
  durationMin: number;
  priceCents: number;
  priceType: "FIXED" | "FROM" | "FREE" | "ON_REQUEST";
  capacity: number;
  bookable: boolean;
  locationType: "ON_SITE" | "AT_CUSTOMER" | "ONLINE";
  bufferBeforeMin: number;
  bufferAfterMin: number;
  resources: { resource: string; units: number }[];
  /** A null stands for the value from the business's booking policy. */
  bookingRules: {
    slotIntervalMin: number | null;
    minNoticeMin: number | null;
    maxAdvanceDays: number | null;
    requiresApproval: boolean | null;
    cancelUntilMin: number | null;
  };
  depositCents: number | null;
  /** Keys of the staff who perform the service; empty if it needs none, such as a sauna. */
  staff: string[];
  tags: string[];
  variants: VariantDoc[];
  addons: AddonLinkDoc[];
};

/** `capacity` is the number of units that can be in use at the same time. */
export type ResourceDoc = Common & { capacity: number };

export type StaffDoc = Common & {
  title: string | null;
  bio: string | null;
  languages: string[];
  /** Whether partners see the profile; a hidden person can still be booked. */
  public: boolean;
  bookable: boolean;
  /** null: the hours of the business. */
  hours: HoursRule[] | null;
  breaks: WeeklyWindow[];
  /** Epoch ms; `to` is exclusive. */
  timeOff: { from: number; to: number }[];
  exceptions: HoursException[];
  serviceOverrides: { service: string; durationMin: number | null; priceCents: number | null }[];
};

export type AreaDoc = Common;
export type TableDoc = Common & { area: string | null; minSeats: number; maxSeats: number };

export type PromotionDoc = Described & {
  benefit: PromotionBenefit;
  appliesTo: {
    all: boolean;
    services: string[];
    serviceCategories: string[];
    menuItems: string[];
    menuCategories: string[];
    events: string[];
    /** `eventKey/ticketTypeKey` */
    ticketTypes: string[];
  };
  conditions: {
    minSubtotalCents: number | null;
    minQuantity: number | null;
    firstVisitOnly: boolean;
    maxUses: number | null;
    maxUsesPerCustomer: number | null;
  };
  schedule: {
    startsAt: number | null;
    endsAt: number | null;
    weekly: WeeklyWindow[];
    excludeDates: LocalDate[];
  };
  /** The code that guests must give. Partners see only that a code is required. */
  code: string | null;
  stackable: boolean;
  /** The promotion with the highest priority is applied first. */
  priority: number;
};

export type PromotionBenefit =
  | { type: "PERCENT_OFF"; percentBps: number; maxAmountCents: number | null }
  | { type: "AMOUNT_OFF"; amountCents: number }
  | { type: "FIXED_PRICE"; amountCents: number }
  | { type: "BUY_X_GET_Y"; buyQuantity: number; getQuantity: number; percentBps: number }
  | { type: "FREE_ADDON"; addon: string };

export type TicketTypeDoc = Described & {
  kind: "PAID" | "FREE" | "DONATION";
  priceCents: number;
  salesStartAt: number | null;
  salesEndAt: number | null;
  minPerOrder: number;
  maxPerOrder: number;
  showRemaining: boolean;
};

export type PublicEventDoc = Named &
  Presented & {
    status: "DRAFT" | "PUBLISHED" | "CANCELLED" | "POSTPONED";
    slug: string;
    description: string | null;
    startsAt: number;
    endsAt: number;
    doorsAt: number | null;
    venue: { name: string; address: string | null } | null;
    attendanceMode: "IN_PERSON" | "ONLINE" | "MIXED";
    ticketTypes: TicketTypeDoc[];
    /** Numbers of places. A sold ticket takes a place from each quota that lists its type. */
    quotas: { key: string; size: number; ticketTypes: string[] }[];
  };

export const emptySchedule = (): ScheduleDoc => ({
  hours: [],
  closures: [],
  exceptions: [],
  turnTimes: [],
});

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

export const ALL_KINDS = Object.keys(KIND_NAMES) as Kind[];

export const emptyObjects = (): CatalogObjects =>
  Object.fromEntries(ALL_KINDS.map((kind) => [kind, []])) as unknown as CatalogObjects;

/** @jsxImportSource preact */
import type { CatalogView } from "../../app/catalog/catalog-view.ts";
import { localise } from "../../domain/public/public-context.ts";
import { nextTransition } from "../../domain/public/public-catalog.ts";
import { findById } from "../../domain/catalog/doc-index.ts";
import type { PageLocation } from "../../http/pages/page-request.ts";
import { type Page, renderPage } from "../../http/pages/render-page.tsx";
import { NO_SNIFF, type RawHeaders } from "../../http/pipeline/request-context.ts";
import { fillText } from "../../pages/languages.ts";
import { writeEvents } from "./calendar.ts";
import {
  readDishes,
  readEvent,
  readEvents,
  readPromotions,
  readServices,
  readShop,
  readStaff,
  type Shop,
  type Variant,
  withoutVersions,
} from "./content/content.ts";
import { toBusiness, toEvent, toEvents, toGraph, toMenu, toServices } from "./content/json-ld.ts";
import { writeMarkdown } from "./content/markdown.ts";
import { linkTo, pathsOf, withLanguage } from "./paths.ts";
import { type BusinessContent, BusinessPage } from "./view/business.tsx";
import { EventList, EventPage } from "./view/events.tsx";
import {
  Frame,
  CategoryLinks,
  languagesOf,
  type PageName,
  Pager,
  linksToPages,
  urlOfPage,
} from "./view/frame.tsx";
import { DishList } from "./view/menu.tsx";
import { ServiceList } from "./view/services.tsx";

// Builds the body of each public page from the state of a catalog.

/** A page, and the parameters of its URL that it depends on. */
export type WantedPage = Variant & {
  kind: "business" | "menu" | "services" | "events" | "event" | "calendar" | "jsonld" | "markdown";
  /** The number of the page of a list, from 1. */
  page: number;
  /** The slug of a public event; null for all of them. */
  event: string | null;
};

export type BuiltPage = {
  body: string;
  type: string;
  headers: RawHeaders;
  /** When the page is out of date even if the catalog stays the same (epoch ms). */
  validUntil: number;
};

type Context = { view: CatalogView; shop: Shop; wanted: WantedPage; location: PageLocation };

const HTML = "text/html; charset=utf-8";

/**
 * The limits of each list on the first page, which keep the page below 150 KB: the number of
 * objects, and the characters that they take together (`weigh`).
 */
const FIRST_PAGE = {
  services: { maxCount: 60, maxWeight: 30_000 },
  dishes: { maxCount: 60, maxWeight: 25_000 },
  events: { maxCount: 6, maxWeight: 10_000 },
};
/** The limits of each list in documents for programs. */
const DOCUMENT = { maxCount: 1000, maxWeight: Infinity };
const WHOLE = { services: DOCUMENT, dishes: DOCUMENT, events: DOCUMENT };

/** Builds a page of a business; null if the business has no such page. */
export function buildPage(
  versioned: CatalogView,
  wanted: WantedPage,
  location: PageLocation,
  site: { origin: string; hasTables: boolean; bookingPath: string | undefined },
): BuiltPage | null {
  // The calendar alone shows versions: programs replace an entry if its version has risen.
  const view = wanted.kind === "calendar" ? versioned : withoutVersions(versioned);
  const path = `${location.base}/b/${location.slug}`;
  const { booking } = view.stored.catalog.business.publicPage;
  const { origin, hasTables, bookingPath } = site;
  const bookUrl = booking === "OFF" || bookingPath === undefined ? null : `${path}/${bookingPath}`;
  const shop = readShop(view, wanted, { path, bookUrl, origin, hasTables });
  const built = BUILDERS[wanted.kind]({ view, shop, wanted, location });
  const transition = nextTransition(view.stored, view.context.now);
  const validUntil = Math.min(transition ?? Infinity, shop.opening.validUntil);
  return built && { ...built, validUntil };
}

type Builder = (context: Context) => Omit<BuiltPage, "validUntil"> | null;

const BUILDERS: Record<WantedPage["kind"], Builder> = {
  business(context) {
    const content = readBusiness(context, FIRST_PAGE);
    const { shop } = context;
    return toHtml(context, "", {
      title: shop.profile.name,
      imageUrls: [
        ...shop.profile.images.map(({ url }) => url),
        ...firstImagesOf(content.services),
        ...firstImagesOf(content.dishes),
        ...firstImagesOf({ sections: [{ items: content.staff }] }),
      ],
      content: <BusinessPage shop={shop} content={content} />,
      structuredData: toGraph([
        toBusiness(shop),
        ...(content.services.total > 0 ? [toServices(shop, content.services)] : []),
        ...toEvents(shop, content.events),
      ]),
    });
  },
  menu(context) {
    const { view, shop, wanted } = context;
    const dishes = readDishes(view, wanted, { page: wanted.page });
    if (dishes === null || dishes.total === 0) return null;
    return toList(context, "menu", shop.texts.menu, dishes, {
      imageUrls: firstImagesOf(dishes),
      content: (
        <>
          <CategoryLinks
            shop={shop}
            name={shop.texts.menu}
            listing={dishes}
            urlOf={linksToPages(shop, pathsOf(shop.path).menu)}
          />
          <DishList shop={shop} dishes={dishes} level={2} />
        </>
      ),
      structuredData: toGraph([toMenu(shop, dishes)]),
    });
  },
  services(context) {
    const { view, shop, wanted } = context;
    const services = readServices(view, wanted, { page: wanted.page });
    if (services === null || services.total === 0) return null;
    return toList(context, "services", shop.texts.services, services, {
      imageUrls: firstImagesOf(services),
      content: (
        <>
          <CategoryLinks
            shop={shop}
            name={shop.texts.services}
            listing={services}
            urlOf={linksToPages(shop, pathsOf(shop.path).services)}
          />
          <ServiceList shop={shop} services={services} level={2} />
        </>
      ),
      structuredData: toGraph([toServices(shop, services)]),
    });
  },
  events(context) {
    const { view, shop, wanted } = context;
    const events = readEvents(view, wanted, { page: wanted.page });
    if (events === null || events.total === 0) return null;
    return toList(context, "events", shop.texts.events, events, {
      content: (
        <>
          <EventList shop={shop} events={events} />
          <p>
            <a href={linkTo(shop, pathsOf(shop.path).calendar)}>{shop.texts.allInCalendar}</a>
          </p>
        </>
      ),
      structuredData: toGraph(toEvents(shop, events)),
    });
  },
  event(context) {
    const { view, shop, wanted } = context;
    const event = readEvent(view, wanted, wanted.event ?? "");
    if (event === null) return null;
    return toHtml(context, "events", {
      title: `${event.name} · ${shop.profile.name}`,
      description: event.description,
      path: pathsOf(shop.path).event(event.slug),
      image: event.images[0]?.url,
      imageUrls: event.images.slice(0, 1).map(({ url }) => url),
      content: <EventPage shop={shop} event={event} />,
      structuredData: toGraph([toEvent(shop, event)]),
      props: { yourTime: shop.texts.yourTime, language: shop.format.locale },
    });
  },
  calendar({ view, shop, wanted }) {
    const { event: slug } = wanted;
    // Undefined stands for all events, null for an event that does not exist.
    const event = slug === null ? undefined : readEvent(view, wanted, slug);
    if (event === null) return null;
    const events = readEvents(view, wanted, DOCUMENT)?.sections.flatMap(({ items }) => items) ?? [];
    return {
      body: writeEvents(shop, event ? [event] : events),
      type: "text/calendar; charset=utf-8",
      headers: NO_SNIFF,
    };
  },
  jsonld(context) {
    const { shop } = context;
    const { services, dishes, events } = readBusiness(context, WHOLE);
    const graph = toGraph([
      toBusiness(shop),
      ...(services.total > 0 ? [toServices(shop, services)] : []),
      ...(dishes.total > 0 ? [toMenu(shop, dishes)] : []),
      ...toEvents(shop, events),
    ]);
    return { body: JSON.stringify(graph), type: "application/ld+json", headers: NO_SNIFF };
  },
  markdown(context) {
    return {
      body: writeMarkdown(context.shop, readBusiness(context, WHOLE)),
      type: "text/markdown; charset=utf-8",
      headers: NO_SNIFF,
    };
  },
};

function readBusiness({ view, wanted, shop }: Context, limits: typeof FIRST_PAGE): BusinessContent {
  const emptyList = { sections: [], contents: [], total: 0, page: 1, pages: 1 };
  const { objects } = view.stored.catalog;
  return {
    services: readServices(view, wanted, limits.services) ?? emptyList,
    dishes: readDishes(view, wanted, limits.dishes) ?? { ...emptyList, modifierGroups: new Map() },
    events: readEvents(view, wanted, limits.events) ?? emptyList,
    staff: readStaff(view, wanted),
    promotions: readPromotions(view, wanted),
    nameOfAddon(id) {
      const doc = findById<"addon">("addon", shop.profile.slug, objects.addon, id);
      return doc && localise(view.forms.addons(doc), wanted.locale).name;
    },
  };
}

type Listed = { page: number; pages: number };

/** Returns a page of a list with its heading, and links to the next and previous pages. */
function toList(
  context: Context,
  name: Exclude<PageName, "">,
  title: string,
  { page, pages }: Listed,
  {
    content,
    structuredData,
    imageUrls = [],
  }: Pick<Html, "content" | "structuredData" | "imageUrls">,
): Omit<BuiltPage, "validUntil"> {
  const { shop } = context;
  const path = pathsOf(shop.path)[name];
  const pageOfPages = page === 1 ? "" : ` · ${fillText(shop.texts.page, { page, count: pages })}`;
  return toHtml(context, name, {
    title: `${title}${pageOfPages} · ${shop.profile.name}`,
    path: urlOfPage(path, page),
    imageUrls,
    content: (
      <div class="list">
        <h1>{title}</h1>
        {content}
        <Pager texts={shop.texts} page={page} pages={pages} urlOf={linksToPages(shop, path)} />
      </div>
    ),
    ...(structuredData && { structuredData }),
  });
}

type Html = Pick<Page, "content" | "structuredData" | "props"> & {
  title: string;
  description?: string | null;
  /** The path and query of the page; by default the path of the business's first page. */
  path?: string;
  /** The picture that chat programs show beside a link to the page. */
  image?: string | undefined;
  /** The pictures in the content, which the page's Content-Security-Policy must allow. */
  imageUrls?: readonly string[];
};

/** The most characters of the description for search engines. */
const MAX_DESCRIPTION = 300;

/** @param name the page whose link in the navigation is marked; "" for the first page */
function toHtml(context: Context, name: PageName, html: Html): Omit<BuiltPage, "validUntil"> {
  const { shop, location } = context;
  const { path = shop.path, title } = html;
  const { profile, theme } = shop;
  const description = (html.description ?? profile.description ?? "").slice(0, MAX_DESCRIPTION);
  const image = html.image ?? profile.images[0]?.url;
  const { html: body, headers } = renderPage(location, {
    language: shop.language,
    title,
    ...(description !== "" && { description }),
    isPrivate: false,
    accent: theme.accent,
    imageUrls: [...(theme.logo === null ? [] : [theme.logo]), ...(html.imageUrls ?? [])],
    head: <Head shop={shop} path={path} title={title} image={image} />,
    content: (
      <Frame shop={shop} current={name} url={path}>
        {html.content}
      </Frame>
    ),
    ...(html.structuredData && { structuredData: html.structuredData }),
    ...(html.props && { props: html.props }),
  });
  return { body, type: HTML, headers };
}

type HeadProps = { shop: Shop; path: string; title: string; image: string | undefined };

/**
 * The elements of `<head>` that link to the page and to its other languages and formats, and that
 * tell chat programs what to show about the page.
 */
const Head = ({ shop, path, title, image }: HeadProps) => {
  const { origin, profile } = shop;
  const url = `${origin}${path}`;
  const paths = pathsOf(shop.path);
  return (
    <>
      {origin !== "" && <link rel="canonical" href={url} />}
      {origin !== "" &&
        languagesOf(profile.locales).map((language) => (
          <link rel="alternate" hrefLang={language} href={withLanguage(url, language)} />
        ))}
      <link rel="alternate" type="text/markdown" href={paths.markdown} />
      <link rel="alternate" type="application/ld+json" href={paths.jsonLd} />
      {shop.counts.events > 0 && (
        <link rel="alternate" type="text/calendar" href={paths.calendar} />
      )}
      <meta property="og:type" content="website" />
      <meta property="og:title" content={title} />
      <meta property="og:site_name" content={profile.name} />
      {origin !== "" && <meta property="og:url" content={url} />}
      {image !== undefined && <meta property="og:image" content={image} />}
    </>
  );
};

type Pictured = { images: readonly { url: string }[] };

/** Returns the URL of the first image of each object, which is the only image that lists show. */
const firstImagesOf = ({ sections }: { sections: readonly { items: readonly Pictured[] }[] }) =>
  sections.flatMap(({ items }) => items.flatMap(({ images: [first] }) => first?.url ?? []));

/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { OutsideText } from "../../../pages/outside-text.tsx";
import { fillText, PAGE_LANGUAGES } from "../../../pages/languages.ts";
import type { Contents, Shop } from "../content/content.ts";
import { linkTo, pathsOf, withLanguage } from "../paths.ts";
import type { PageTexts } from "../texts.ts";

/** The path of a page below the first page of its business; "" for the first page. */
export type PageName = "" | "menu" | "services" | "events";

type FrameProps = {
  shop: Shop;
  /** The page, whose link in the navigation is marked. */
  current: PageName;
  /** The path and query of the page, to which the links to other languages lead. */
  url: string;
  /** Whether the page is in a frame of another website, which names the business itself. */
  isEmbedded?: boolean;
  children: ComponentChildren;
};

/** What every page of a business has around its content. */
export const Frame = ({ shop, current, url, isEmbedded = false, children }: FrameProps) => {
  const { texts, profile, path, counts, theme, bookUrl } = shop;
  const paths = pathsOf(path);
  const links: { name: PageName; href: string; text: string; isShown: boolean }[] = [
    { name: "menu", href: paths.menu, text: texts.menu, isShown: counts.dishes > 0 },
    { name: "services", href: paths.services, text: texts.services, isShown: counts.services > 0 },
    { name: "events", href: paths.events, text: texts.events, isShown: counts.events > 0 },
  ];
  if (isEmbedded)
    return (
      <>
        <main id="content">{children}</main>
        <Footer shop={shop} url={url} target="_blank" />
      </>
    );
  return (
    <>
      <a class="skip" href="#content">
        {texts.skip}
      </a>
      <header class="site">
        <div class="bar">
          <a class="brand" href={linkTo(shop, path)}>
            {theme.logo !== null && (
              <img
                src={theme.logo}
                alt=""
                height="36"
                decoding="async"
                referrerpolicy="no-referrer"
              />
            )}
            <Outside shop={shop} text={profile.name} />
          </a>
          <nav>
            {links
              .filter(({ isShown }) => isShown)
              .map(({ name, href, text }) => (
                <a href={linkTo(shop, href)} aria-current={name === current ? "page" : undefined}>
                  {text}
                </a>
              ))}
            {bookUrl !== null && (
              <a class="button primary" href={linkTo(shop, bookUrl)}>
                {texts.book}
              </a>
            )}
          </nav>
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <Footer shop={shop} url={url} />
    </>
  );
};

type FooterProps = { shop: Shop; url: string; target?: "_blank" };

const Footer = ({ shop, url, target }: FooterProps) => {
  const { texts, profile, path } = shop;
  const { privacyUrl, imprintUrl } = profile.legal;
  // A reader in a language that the catalog lacks gets the fixed texts in it, and finds the way back
  // to it from the other languages. A page in a chosen language is the same for all readers, so it
  // cannot name only the language of this one.
  const languages = languagesOf(profile.locales).length > 0 ? PAGE_LANGUAGES : [];
  return (
    <footer class="site">
      <div class="bar">
        <p>
          <Outside shop={shop} text={profile.name} />
        </p>
        <ul>
          <li>
            <a href={imprintUrl ?? `${linkTo(shop, path)}#imprint`} target={target}>
              {texts.imprint}
            </a>
          </li>
          {privacyUrl !== null && (
            <li>
              <a href={privacyUrl} target={target}>
                {texts.privacy}
              </a>
            </li>
          )}
          {languages.map((language) => (
            <li>
              <a
                href={withLanguage(url, language)}
                hreflang={language}
                lang={language}
                aria-current={language === shop.language ? "true" : undefined}
              >
                {nameOfLanguage(language)}
              </a>
            </li>
          ))}
        </ul>
      </div>
    </footer>
  );
};

/** Returns the languages of pages in which the catalog has texts; none if there is only one. */
export function languagesOf(locales: readonly string[]): string[] {
  const catalogLanguages = new Set(locales.map((locale) => locale.toLowerCase().split("-", 1)[0]));
  const languages = PAGE_LANGUAGES.filter((language) => catalogLanguages.has(language));
  return languages.length < 2 ? [] : languages;
}

const nameOfLanguage = (language: string): string => {
  const name = new Intl.DisplayNames(language, { type: "language" }).of(language) ?? language;
  return name.charAt(0).toLocaleUpperCase(language) + name.slice(1);
};

/** A text of the catalog, marked with its language if that is not the language of the page. */
export const Outside = ({ shop, text }: { shop: Shop; text: string }) =>
  shop.otherLanguage === undefined ? (
    <OutsideText text={text} />
  ) : (
    <span lang={shop.otherLanguage}>
      <OutsideText text={text} />
    </span>
  );

/** A text of the catalog, in the paragraphs that its author wrote. */
export const LongText = ({
  shop,
  text,
  className,
}: {
  shop: Shop;
  text: string | null;
  className?: string;
}) =>
  text === null ? null : (
    <p class={`long ${className ?? ""}`.trim()} lang={shop.otherLanguage}>
      <OutsideText text={text} />
    </p>
  );

type ImageProps = {
  image: { url: string; alt: string | null; width: number | null; height: number | null };
  /** The text for an image without a description; empty if a text beside it says the same. */
  alt?: string;
  className?: string;
  /** Whether the image is at the top of the page, so that the browser loads it at once. */
  isFirst?: boolean;
};

export const Image = ({ image, alt = "", className, isFirst = false }: ImageProps) => (
  <img
    class={className}
    src={image.url}
    alt={image.alt ?? alt}
    width={image.width ?? undefined}
    height={image.height ?? undefined}
    loading={isFirst ? undefined : "lazy"}
    fetchpriority={isFirst ? "high" : undefined}
    decoding="async"
    referrerpolicy="no-referrer"
  />
);

type CategoryLinksProps = {
  shop: Shop;
  name: string;
  listing: {
    sections: readonly { group: { id: string; name: string } | null }[];
    contents: Contents;
    page: number;
  };
  /** Returns the URL of a page of the list. */
  urlOf: (page: number) => string;
};

/**
 * Links to the categories of a list; if `contents` is empty, only to the categories of this page.
 */
export const CategoryLinks = ({ shop, name, listing, urlOf }: CategoryLinksProps) => {
  const { sections, contents, page } = listing;
  const onThisPage = sections.flatMap(({ group }) => group ?? []);
  const idsOnThisPage = new Set(onThisPage.map(({ id }) => id));
  const linked = contents.length > 0 ? contents : onThisPage.map((group) => ({ ...group, page }));
  // One or two categories are found without links.
  return linked.length < 3 ? null : (
    <nav class="jump" aria-label={name}>
      {linked.map((group) => (
        <a href={`${idsOnThisPage.has(group.id) ? "" : urlOf(group.page)}#${group.id}`}>
          <Outside shop={shop} text={group.name} />
        </a>
      ))}
    </nav>
  );
};

type PagerProps = {
  texts: Pick<PageTexts, "page" | "previous" | "next">;
  page: number;
  pages: number;
  urlOf: (page: number) => string;
};

export const urlOfPage = (path: string, page: number): string =>
  page === 1 ? path : `${path}?page=${page}`;

/** Returns a function that returns the link to a page of a list. */
export const linksToPages =
  (shop: Shop, path: string) =>
  (page: number): string =>
    linkTo(shop, urlOfPage(path, page));

export const Pager = ({ texts, page, pages, urlOf }: PagerProps) =>
  pages === 1 ? null : (
    <nav class="pager" aria-label={fillText(texts.page, { page, count: pages })}>
      {page > 1 ? (
        <a class="button" rel="prev" href={urlOf(page - 1)}>
          {texts.previous}
        </a>
      ) : (
        <span />
      )}
      <span class="faint">{fillText(texts.page, { page, count: pages })}</span>
      {page < pages ? (
        <a class="button" rel="next" href={urlOf(page + 1)}>
          {texts.next}
        </a>
      ) : (
        <span />
      )}
    </nav>
  );

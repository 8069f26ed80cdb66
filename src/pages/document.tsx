/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { ROOT_ID } from "./root.ts";

/** The icon of every page, as a `data:` URL: pages load nothing but their own two files. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#8a5a00"/><path d="M6 22h20v3H6zM8 20a8 8 0 0 1 16 0zM15 9h2v3h-2zM13 7h6v2h-6z" fill="#fff"/></svg>',
)}`;

export type DocumentProps = {
  /** A BCP 47 tag, such as "de". */
  language: string;
  title: string;
  /** A sentence about the page, for search engines. */
  description?: string | undefined;
  /** The style of the business's colours. */
  theme?: string | null;
  head?: ComponentChildren;
  /** The URLs of the page's files. */
  files: { style: string; script: string };
  /** What the page's script receives, as JSON; the script does not run without it. */
  props?: object | undefined;
  children: ComponentChildren;
};

/**
 * The HTML document of a page. The page's script takes over the content, with the same props with
 * which the server rendered it.
 */
export const Document = ({
  language,
  title,
  description,
  files,
  theme,
  head,
  props,
  children,
}: DocumentProps) => (
  <html lang={language}>
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>{title}</title>
      {description !== undefined && <meta name="description" content={description} />}
      <link rel="icon" href={ICON} />
      <link rel="stylesheet" href={files.style} />
      {theme && <style>{theme}</style>}
      {head}
      {props !== undefined && <script type="module" src={files.script} />}
    </head>
    <body>
      <div id={ROOT_ID} data-props={props && JSON.stringify(props)}>
        {children}
      </div>
    </body>
  </html>
);

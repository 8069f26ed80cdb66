/** @jsxImportSource preact */
import type { ComponentChildren } from "preact";
import { useSession } from "./session.ts";

type DocsLinkProps = { section?: string; class?: string; children: ComponentChildren };

/**
 * A link to the documentation. It opens a new tab, because the page forgets the key when the reader
 * leaves it.
 */
export const DocsLink = ({ section, children, ...others }: DocsLinkProps) => (
  <a
    {...others}
    href={`${useSession().props.base}/docs${section === undefined ? "" : `#${section}`}`}
    target="_blank"
    rel="noopener"
  >
    {children} <span class="new-tab">(new tab)</span>
  </a>
);

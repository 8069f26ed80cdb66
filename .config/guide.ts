import { readFileSync } from "node:fs";
import { Marked, Renderer } from "marked";
import type { Plugin } from "rolldown";
import { anchorOf, html } from "../src/http/docs/html.ts";

const GUIDE = new URL("../data/partner-guide.md", import.meta.url);

const escape = (text: string): string => html`${text}`.markup;

const marked = new Marked({
  renderer: {
    /** One level down, since the page has its own title. */
    heading({ tokens, depth, text }) {
      const level = depth + 1;
      return `<h${level} id="${escape(anchorOf(text))}">${this.parser.parseInline(tokens)}</h${level}>\n`;
    },
    code: ({ text, lang = "" }) =>
      `<pre><code class="language-${escape(lang)}">${escape(text)}</code></pre>\n`,
    table(token) {
      return `<div class="table">${Renderer.prototype.table.call(this, token)}</div>`;
    },
    link(token) {
      return /^(https?:\/\/|#|\/(?!\/))/.test(token.href)
        ? Renderer.prototype.link.call(this, token)
        : escape(token.raw);
    },
    html: ({ raw }) => escape(raw),
    image: ({ raw }) => escape(raw),
  },
});

/** Renders Markdown as HTML. HTML in the text is escaped; links must be absolute or local. */
export const renderGuide = (markdown: string): string => marked.parse(markdown, { async: false });

/** Adds the partner guide to the build as HTML, so that the daemon needs no Markdown parser. */
export const guide: Plugin = {
  name: "guide",
  generateBundle() {
    const source = renderGuide(readFileSync(GUIDE, "utf8"));
    this.emitFile({ type: "asset", fileName: "docs/guide.html", source });
  },
};

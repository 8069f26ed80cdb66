import { escapeHtml } from "../../domain/html.ts";
import { safe } from "../../domain/text.ts";

// The functions write the same content as plain text and as HTML.

export type MailContent = {
  language: string;
  heading: string;
  paragraphs: string[];
  facts: { about: string; lines: string[] }[];
  link: { text: string; url: string };
  footer: string[];
};

const STYLES = {
  body: "margin:0;padding:24px 12px;background:#f4f4f2;color:#1b1b1a;font:16px/1.5 sans-serif",
  card: "max-width:560px;margin:0 auto;padding:24px;background:#ffffff;border-radius:12px",
  heading: "margin:0 0 12px;font-size:22px;line-height:1.3",
  about: "padding:4px 16px 4px 0;vertical-align:top;color:#5c5c58",
  line: "padding:4px 0;vertical-align:top",
  button:
    "display:inline-block;padding:12px 20px;border-radius:8px;background:#1b1b1a;color:#ffffff;text-decoration:none",
  url: "font-size:13px;color:#5c5c58;word-break:break-all",
  footer: "margin:16px 0 0;font-size:13px;color:#5c5c58",
} as const;

/** Escapes the characters with which a text of the catalog could hide or reorder what is shown. */
const clean = (text: string): string => safe(text);

export function toPlainText({ heading, paragraphs, facts, link, footer }: MailContent): string {
  const blocks = [
    clean(heading),
    ...paragraphs.map(clean),
    facts.map(({ about, lines }) => `${about}: ${lines.map(clean).join("\n    ")}`).join("\n"),
    `${link.text}:\n${link.url}`,
    ...footer.map(clean),
  ];
  return `${blocks.filter((block) => block !== "").join("\n\n")}\n`;
}

export function toHtml({
  language,
  heading,
  paragraphs,
  facts,
  link,
  footer,
}: MailContent): string {
  const html = (text: string): string => escapeHtml(clean(text));
  const rows = facts.map(
    ({ about, lines }) =>
      `<tr><td style="${STYLES.about}">${html(about)}</td><td style="${STYLES.line}">${lines.map(html).join("<br>")}</td></tr>`,
  );
  return `<!doctype html>
<html lang="${html(language)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${html(heading)}</title></head>
<body style="${STYLES.body}">
<div style="${STYLES.card}">
<h1 style="${STYLES.heading}">${html(heading)}</h1>
${paragraphs.map((text) => `<p style="margin:0 0 12px">${html(text)}</p>`).join("\n")}
<table role="presentation" style="border-collapse:collapse">${rows.join("\n")}</table>
<p style="margin:20px 0 8px"><a href="${html(link.url)}" style="${STYLES.button}">${html(link.text)}</a></p>
<p style="margin:0;${STYLES.url}">${html(link.url)}</p>
${footer.map((text) => `<p style="${STYLES.footer}">${html(text)}</p>`).join("\n")}
</div>
</body>
</html>
`;
}

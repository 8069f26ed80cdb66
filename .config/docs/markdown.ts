/** Returns a heading, with its anchor at the end: `## List services {#listServices}`. */
export const heading = (level: number, title: string, anchor?: string): string =>
  `${"#".repeat(level)} ${title}${anchor === undefined ? "" : ` {#${anchor}}`}`;

/**
 * Returns a block of code.
 * @param title makes the block an example that readers open
 */
export const codeBlock = (language: string, text: string, title?: string): string =>
  `\`\`\`${language}${title === undefined ? "" : ` ${title}`}\n${text}\n\`\`\``;

export const jsonExample = (title: string, value: unknown): string =>
  codeBlock("json", JSON.stringify(value, null, 2), title);

const renderRow = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [renderRow(head), `|${"---|".repeat(head.length)}`, ...rows.map(renderRow)].join("\n");

/** Joins blocks with empty lines, without empty blocks. */
export const joinBlocks = (...blocks: string[]): string =>
  blocks
    .map((block) => block.trim())
    .filter((block) => block !== "")
    .join("\n\n");

/** Makes every heading one level deeper, but not the comments in code blocks. */
export function deepenHeadings(markdown: string): string {
  let isCode = false;
  return markdown
    .split("\n")
    .map((line) => {
      if (line.startsWith("```")) isCode = !isCode;
      return !isCode && /^#+ /.test(line) ? `#${line}` : line;
    })
    .join("\n");
}

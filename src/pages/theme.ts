// The colours of a business, made readable on the light and the dark background of pages.

type Rgb = readonly [red: number, green: number, blue: number];

/** The values of --paper and --ink in style.css. */
const LIGHT = { paper: "#fffdf8", ink: "#221d14" };
const DARK = { paper: "#17140f", ink: "#ece6d9" };

/** The contrast of text that WCAG 2.2 asks for (1.4.3, level AA). */
const MIN_CONTRAST = 4.5;
const MIXING_STEPS = 20;

const parse = (colour: string): Rgb => [
  Number.parseInt(colour.slice(1, 3), 16),
  Number.parseInt(colour.slice(3, 5), 16),
  Number.parseInt(colour.slice(5, 7), 16),
];

const format = (rgb: Rgb): string =>
  `#${rgb.map((channel) => Math.round(channel).toString(16).padStart(2, "0")).join("")}`;

/** Returns the relative luminance as WCAG defines it. */
function luminanceOf(rgb: Rgb): number {
  const [red, green, blue] = rgb.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the contrast of two colours, from 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [one, other]
    .map((colour) => luminanceOf(parse(colour)))
    .toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const mix = (from: Rgb, to: Rgb, share: number): Rgb =>
  from.map((channel, i) => channel + ((to[i] ?? 0) - channel) * share) as unknown as Rgb;

/**
 * Returns the colour, mixed with just enough of `ink` that text of the mixed colour is readable on
 * `paper`.
 */
function readableOn(colour: string, { paper, ink }: typeof LIGHT): string {
  for (let step = 0; step < MIXING_STEPS; step++) {
    const mixed = format(mix(parse(colour), parse(ink), step / MIXING_STEPS));
    if (contrastOf(mixed, paper) >= MIN_CONTRAST) return mixed;
  }
  return ink;
}

/**
 * Returns the CSS of an accent colour that is readable on a background, and of black or white text
 * on the accent colour.
 */
function declare(colour: string, background: typeof LIGHT): string {
  const accent = readableOn(colour, background);
  const [onAccent] = ["#ffffff", "#000000"].toSorted(
    (a, b) => contrastOf(b, accent) - contrastOf(a, accent),
  );
  return `:root{--accent:${accent};--on-accent:${onAccent}}`;
}

/** Returns the style of a page whose buttons and links have a colour such as #aa3366. */
export const writeTheme = (accent: string): string =>
  `${declare(accent, LIGHT)}@media (prefers-color-scheme:dark){${declare(accent, DARK)}}`;

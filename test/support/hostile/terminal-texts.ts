/** Texts that have taken over terminals or hidden their content. */
export const PIECES = [
  "\x1b]0;owned\x07",
  "\x1b]2;owned\x1b\\",
  "\x1b]8;;http://evil.example\x07click\x1b]8;;\x07",
  "\x1b]52;c;ZXZpbA==\x07",
  "\x9d52;c;ZXZpbA==\x9c",
  "\x9b2J",
  "\x1b[2J\x1b[H",
  "\x1b[?1049l",
  "\x1b[?25h\x1b[?1000h\x1b[?2004h",
  "\x1bc",
  "\x1b[999;999H",
  "\x1b[31;5m",
  "\x1b(0",
  "\x1bP$q\x1b\\",
  "\x1b[6n\x1b[c",
  "\x07\x08\x0b\x0c\x0e\x0f",
  "\r\n\t\v",
  "\0",
  "\x7f",
  "\u202emoc.live\u202c",
  "\u2066\u2069\u200e\u200f\u061c",
  "\u200b\u200c\u200d\ufeff\u2060",
  "\u{e0041}\u{e0042}\u{e007f}",
  "\ufe0f\u20e3",
  "❤️",
  "👨‍👩‍👧‍👦",
  "👍🏿",
  "🇩🇪🇫🇷",
  "漢字かな交じり",
  "ｆｕｌｌ",
  "한글",
  "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢",
  "क्षि",
  "\ud800",
  "\udfff",
  "\u2028\u2029\u0085",
  "\u3164\u115f\uffa0",
  "café",
  "a".repeat(3000),
  '{"a":1}',
];

/** Joins pieces in a random order, which is the same in every run. */
export function createHostileSource(): { draw: () => string; drawn: () => number } {
  let state = 42;
  let count = 0;
  const next = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  return {
    draw() {
      count += 1;
      return Array.from({ length: 1 + next(5) }, () => PIECES[next(PIECES.length)]).join("x");
    },
    drawn: () => count,
  };
}

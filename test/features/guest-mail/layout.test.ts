import { expect, test } from "vitest";
import { toHtml, toPlainText } from "../../../src/features/guest-mail/layout.ts";

const CONTENT = {
  language: "en",
  heading: "You are booked",
  paragraphs: ["We look forward <to> your visit.", "Please come on time."],
  facts: [{ about: "When", lines: ["Friday", "10:00"] }],
  link: { text: "Show the visit", url: "https://shop.example/v/1" },
  footer: ["The Shop"],
};

test("a mail has its heading, paragraphs, facts, link and footer as plain text and as HTML", () => {
  expect(toPlainText(CONTENT)).toBe(
    [
      "You are booked",
      "We look forward <to> your visit.",
      "Please come on time.",
      "When: Friday\n    10:00",
      "Show the visit:\nhttps://shop.example/v/1",
      "The Shop\n",
    ].join("\n\n"),
  );
  const texts = [...toHtml(CONTENT).matchAll(/>([^<>\n]+)</g)].map(([, text]) => text);
  expect(texts).toEqual([
    "You are booked",
    "You are booked",
    "We look forward &lt;to&gt; your visit.",
    "Please come on time.",
    "When",
    "Friday",
    "10:00",
    "Show the visit",
    "https://shop.example/v/1",
    "The Shop",
  ]);
});

import { expect, test } from "vitest";
import {
  generateCode,
  hashAdmissionCode,
  normalizeCode,
} from "../../../src/features/tickets/short-code.ts";

const bytes = (count: number): Buffer =>
  Buffer.from(Array.from({ length: count }, (_, i) => i * 37));

test("a short code has five random bits per character, in groups of four", () => {
  expect(generateCode(bytes, 2)).toBe("00JM-MVWM");
  expect(generateCode(bytes, 3)).toMatch(/^00JM-MVWM-\w{4}$/);
  expect(generateCode((count) => Buffer.alloc(count, 255), 4)).toBe("ZZZZ-ZZZZ-ZZZZ-ZZZZ");
});

test.each(["K0M2-91XF", "k0m2-91xf", " K0M291XF ", "kOm2 9lxf", "KOM2-9IXF"])(
  "the typed code '%s' is normalized to K0M2-91XF",
  (typed) => {
    expect(normalizeCode(typed)).toBe("K0M2-91XF");
    expect(hashAdmissionCode(typed)).toEqual(hashAdmissionCode("K0M2-91XF"));
  },
);

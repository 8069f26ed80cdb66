import { expect, test, vi } from "vitest";
import { lazy } from "../../src/domain/lazy.ts";

test.each([{ value: 1 }, { value: undefined }])(
  "a lazy value of $value is built once, at the first call",
  ({ value }) => {
    const build = vi.fn(() => value);
    const get = lazy(build);
    expect(build).not.toHaveBeenCalled();
    expect([get(), get()]).toEqual([value, value]);
    expect(build).toHaveBeenCalledOnce();
  },
);

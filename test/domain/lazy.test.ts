import { expect, test, vi } from "vitest";
import { lazy, memoized } from "../../src/domain/lazy.ts";

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

test.each([{ value: 1 }, { value: undefined }])(
  "a memoized value of $value is computed once for each key",
  ({ value }) => {
    const compute = vi.fn<(key: string) => unknown>(() => value);
    const get = memoized(compute);
    expect([get("a"), get("b"), get("a")]).toEqual([value, value, value]);
    expect(compute.mock.calls).toEqual([["a"], ["b"]]);
  },
);

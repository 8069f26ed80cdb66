/**
 * A copy gets a new base if its changes exceed both limits: this number, and this share of the
 * entries of its base.
 */
const MAX_CHANGES = 256;
const MAX_SHARE_OF_BASE = 1 / 64;

/**
 * An immutable map. A changed copy shares the entries of the original, so that a change of a few
 * entries of a large map takes little time.
 */
export class LayeredMap<Value> {
  readonly #base: ReadonlyMap<string, Value>;
  readonly #changes: ReadonlyMap<string, Value | undefined>;

  constructor(
    base: ReadonlyMap<string, Value>,
    changes: ReadonlyMap<string, Value | undefined> = new Map(),
  ) {
    this.#base = base;
    this.#changes = changes;
  }

  get(key: string): Value | undefined {
    return this.#changes.has(key) ? this.#changes.get(key) : this.#base.get(key);
  }

  /** Returns a copy with other values; undefined removes a key. */
  with(values: Iterable<readonly [string, Value | undefined]>): LayeredMap<Value> {
    const changes = new Map([...this.#changes, ...values]);
    if (changes.size <= Math.max(MAX_CHANGES, this.#base.size * MAX_SHARE_OF_BASE))
      return new LayeredMap(this.#base, changes);
    const base = new Map(this.#base);
    for (const [key, value] of changes)
      if (value === undefined) base.delete(key);
      else base.set(key, value);
    return new LayeredMap(base);
  }
}

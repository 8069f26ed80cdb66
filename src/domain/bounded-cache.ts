/**
 * Drops entries not used recently. When the young generation holds half of `maxSize`, it becomes
 * the old one, and the previous old one is dropped; reading an entry moves it to the young one.
 * This is cheaper than keeping entries in order of use.
 */
export class BoundedCache<Key, Value> {
  readonly #maxYoungSize: number;
  readonly #sizeOf: (value: Value) => number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();
  #youngSize = 0;

  /** @param sizeOf of one entry, in the unit of `maxSize`; by default entries are counted */
  constructor(maxSize: number, sizeOf: (value: Value) => number = () => 1) {
    this.#maxYoungSize = maxSize / 2;
    this.#sizeOf = sizeOf;
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: Key, value: Value): void {
    this.delete(key);
    this.#young.set(key, value);
    this.#youngSize += this.#sizeOf(value);
    if (this.#youngSize < this.#maxYoungSize) return;
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngSize = 0;
  }

  delete(key: Key): void {
    const young = this.#young.get(key);
    if (young !== undefined) this.#youngSize -= this.#sizeOf(young);
    this.#young.delete(key);
    this.#old.delete(key);
  }
}

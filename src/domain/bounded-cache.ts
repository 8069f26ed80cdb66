type Entry<Key, Value> = {
  key: Key;
  value: Value;
  size: number;
  /** The entry that was used next after this one; undefined for the entry used last. */
  newer: Entry<Key, Value> | undefined;
  older: Entry<Key, Value> | undefined;
};

/**
 * A cache that evicts the least recently used entries when the sizes of all entries add up to more
 * than `maxSize`. The order of use is a linked list: moving an entry to the end of a Map on each
 * read would cost more.
 */
export class BoundedCache<Key, Value> {
  readonly maxSize: number;
  readonly #sizeOf: (value: Value) => number;
  readonly #entries = new Map<Key, Entry<Key, Value>>();
  #newest: Entry<Key, Value> | undefined;
  #oldest: Entry<Key, Value> | undefined;
  #size = 0;

  /**
   * @param sizeOf returns the size of a value, in the unit of `maxSize`; by default, each counts as
   * 1
   */
  constructor(maxSize: number, sizeOf: (value: Value) => number = () => 1) {
    this.maxSize = maxSize;
    this.#sizeOf = sizeOf;
  }

  get size(): number {
    return this.#size;
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry !== this.#newest) {
      this.#unlink(entry);
      this.#append(entry);
    }
    return entry.value;
  }

  /** Returns the value of a key. If there is none, computes and keeps it. */
  getOrInsertComputed(key: Key, compute: () => Value): Value {
    const cached = this.get(key);
    if (cached !== undefined) return cached;
    const value = compute();
    this.set(key, value);
    return value;
  }

  /** An entry larger than `maxSize` is not kept. */
  set(key: Key, value: Value): void {
    this.delete(key);
    const size = this.#sizeOf(value);
    if (size > this.maxSize) return;
    const entry = { key, value, size, newer: undefined, older: undefined };
    this.#entries.set(key, entry);
    this.#append(entry);
    this.#size += size;
    while (this.#size > this.maxSize && this.#oldest) this.delete(this.#oldest.key);
  }

  delete(key: Key): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#unlink(entry);
    this.#size -= entry.size;
  }

  #append(entry: Entry<Key, Value>): void {
    entry.older = this.#newest;
    entry.newer = undefined;
    if (this.#newest) this.#newest.newer = entry;
    else this.#oldest = entry;
    this.#newest = entry;
  }

  #unlink({ newer, older }: Entry<Key, Value>): void {
    if (newer) newer.older = older;
    else this.#newest = older;
    if (older) older.newer = newer;
    else this.#oldest = newer;
  }
}

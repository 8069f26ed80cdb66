/** One value of a mirror, as text. A value of null deletes it. */
export type MirrorEntry = { list: string; id: string; value: string | null };

/**
 * Where a mirror keeps its copy: a table with the columns `list`, `id` and `value`, whose key is
 * `list` and `id`. The values are JSON.
 */
export type MirrorStorage = {
  /** Returns all entries of a list. */
  load: (list: string) => Stored[] | Promise<Stored[]>;
  /**
   * Stores and deletes entries: all of them or, if it throws or the program is killed, none. Use a
   * transaction.
   */
  save: (entries: readonly MirrorEntry[]) => void | Promise<void>;
};

type Stored = { id: string; value: string };

/** Returns a storage in memory: a program that uses it reads everything again at each start. */
export function createMemoryStorage(): MirrorStorage {
  const lists = new Map<string, Map<string, string>>();
  return {
    load: (list) => [...(lists.get(list) ?? [])].map(([id, value]) => ({ id, value })),
    save(entries) {
      for (const { list, id, value } of entries) {
        const values = lists.get(list) ?? new Map<string, string>();
        lists.set(list, values);
        if (value === null) values.delete(id);
        else values.set(id, value);
      }
    },
  };
}

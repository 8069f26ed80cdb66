const GROUP = 100;

/**
 * Collects texts as UTF-8. They are encoded in groups, because each garbage collection would copy
 * thousands of texts that stay in memory.
 */
export function createByteGroups() {
  const groups: Buffer[] = [];
  let count = 0;
  let text = "";

  function flush(): void {
    groups.push(Buffer.from(text));
    text = "";
  }

  return {
    add(added: string): void {
      text += added;
      count += 1;
      if (count % GROUP === 0) flush();
    },
    /** How many texts were added. */
    count: (): number => count,
    finish(): Buffer[] {
      flush();
      return groups;
    },
  };
}

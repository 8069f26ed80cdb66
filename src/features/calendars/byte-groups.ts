const GROUP_SIZE = 100;

/**
 * Collects texts as UTF-8. Texts are encoded in groups, because each garbage collection would copy
 * thousands of separate texts.
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
      if (count % GROUP_SIZE === 0) flush();
    },
    count: (): number => count,
    finish(): Buffer[] {
      flush();
      return groups;
    },
  };
}

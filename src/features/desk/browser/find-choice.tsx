/** @jsxImportSource preact */
import { useEffect, useState } from "preact/hooks";
import type { Choice } from "../rules.ts";
import { Options, type Page } from "./parts.tsx";

/** The number of choices that a list shows without a field to search it. */
const FEW = 12;

type Props = { page: Page; label: string; name: string; choices: readonly Choice[] };

/** A list to choose from. If it is long, the script adds a field that shortens it. */
export function FindChoice({ page, label, name, choices }: Props) {
  const [text, setText] = useState("");
  const [canSearch, setCanSearch] = useState(false);
  // The script takes over the page as the server sent it, and adds the field after that. What was
  // searched for leaves the list once it is chosen.
  useEffect(() => {
    setCanSearch(choices.length > FEW);
    setText("");
  }, [choices.length]);
  const words = toWords(text);
  const found = choices.filter((choice) => {
    const plain = withoutAccents(choice.name);
    return words.every((word) => plain.includes(word));
  });
  return (
    <>
      {canSearch && (
        <label>
          {page.texts.find}
          <input
            type="search"
            value={text}
            autocomplete="off"
            onInput={(event) => setText(event.currentTarget.value)}
            onKeyDown={ignoreEnter}
          />
        </label>
      )}
      <label>
        {label}
        <select name={name} required>
          <Options choices={found} />
        </select>
      </label>
    </>
  );
}

/** The Enter key would send the form with the first choice, which nobody has looked at. */
function ignoreEnter(event: KeyboardEvent): void {
  if (event.key === "Enter") event.preventDefault();
}

const ACCENTS = /\p{Mark}/gu;

/** People who are in a hurry write neither capitals nor accents. */
const withoutAccents = (text: string): string =>
  text.normalize("NFD").replace(ACCENTS, "").toLowerCase();

const toWords = (text: string): string[] => withoutAccents(text).split(/\s+/).filter(Boolean);

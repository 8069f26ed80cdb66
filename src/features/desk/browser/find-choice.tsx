/** @jsxImportSource preact */
import { useEffect, useRef, useState } from "preact/hooks";
import type { Choice } from "../rules.ts";
import { Options, type Page } from "./parts.tsx";

/** The number of choices that a list shows without a field to search it. */
const MAX_UNSEARCHED = 12;

type Props = { page: Page; label: string; name: string; choices: readonly Choice[] };

/** A list to choose from. If it is long, the script adds a field that shortens it. */
export function FindChoice({ page, label, name, choices }: Props) {
  const [text, setText] = useState("");
  const [canSearch, setCanSearch] = useState(false);
  // The server renders no search field, and the browser's first rendering must equal the server's,
  // so an effect adds the field. The effect clears the search text whenever the number of choices
  // changes, for example after a dish was marked as sold out.
  useEffect(() => {
    setCanSearch(choices.length > MAX_UNSEARCHED);
    setText("");
  }, [choices.length]);
  const list = useRef<HTMLSelectElement>(null);
  const [resets, setResets] = useState(0);
  useEffect(() => {
    const form = list.current?.form;
    const clear = () => {
      setText("");
      setResets((count) => count + 1);
    };
    form?.addEventListener("reset", clear);
    return () => form?.removeEventListener("reset", clear);
  }, []);
  const words = toWords(text);
  const matching = choices.filter((choice) => {
    const plainName = withoutAccents(choice.name);
    return words.every((word) => plainName.includes(word));
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
        {/* A list that gets more choices keeps its choice, so a reset makes a new list. */}
        <select key={resets} ref={list} name={name} required>
          <Options choices={matching} />
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

/** Returns a text for the search, which ignores capitals and accents. */
const withoutAccents = (text: string): string =>
  text.normalize("NFD").replace(ACCENTS, "").toLowerCase();

const toWords = (text: string): string[] => withoutAccents(text).split(/\s+/).filter(Boolean);

/** @jsxImportSource preact */
import type { PublicStaff } from "../../../domain/public/service.ts";
import { fillText } from "../../../pages/languages.ts";
import type { Shop } from "../content/content.ts";
import { Image, LongText, Outside } from "./frame.tsx";

/** A person who serves guests. */
export const Person = ({ shop, person }: { shop: Shop; person: PublicStaff }) => {
  const { texts, format } = shop;
  return (
    <li id={person.id}>
      {person.images[0] ? (
        <Image image={person.images[0]} className="portrait" />
      ) : (
        <span class="portrait" aria-hidden="true">
          {initialsOf(person.name)}
        </span>
      )}
      <div class="body">
        <strong>
          <Outside shop={shop} text={person.name} />
        </strong>
        {person.title !== null && (
          <div class="faint">
            <Outside shop={shop} text={person.title} />
          </div>
        )}
        <LongText shop={shop} text={person.bio} />
        {person.languages.length > 0 && (
          <p class="facts">
            {fillText(texts.speaks, { list: format.list(person.languages.map(format.language)) })}
          </p>
        )}
      </div>
    </li>
  );
};

const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .map((part) => /\p{L}/u.exec(part)?.[0] ?? "")
    .slice(0, 2)
    .join("");

/** @jsxImportSource preact */
import { useEffect, useRef, useState } from "preact/hooks";
import { OutsideText } from "../../../pages/outside-text.tsx";
import { DeliveriesSection } from "./deliveries/deliveries-section.tsx";
import { EndpointsSection } from "./endpoints/endpoints-section.tsx";
import { FeedSection } from "./feed-section.tsx";
import { KeyForm } from "./key-form.tsx";
import { KeySection } from "./key-section.tsx";
import { openClient, type Session, SessionProvider } from "./session.ts";
import type { PageProps } from "./types.ts";
import { SignatureSection } from "./signature-section.tsx";
import { VisitsSection } from "./visits-section.tsx";
import { DocsLink } from "./docs-link.tsx";
import { nameOfZone, ownZone } from "./words.ts";

const SECTIONS = [
  { name: "key", title: "Key", Content: KeySection },
  { name: "endpoints", title: "Endpoints", Content: EndpointsSection },
  { name: "deliveries", title: "Deliveries", Content: DeliveriesSection },
  { name: "feed", title: "Feed", Content: FeedSection },
  { name: "signature", title: "Signature check", Content: SignatureSection },
  { name: "visits", title: "Visits", Content: VisitsSection },
] as const;
type Section = (typeof SECTIONS)[number];

const readSection = (): Section =>
  SECTIONS.find(({ name }) => `#${name}` === location.hash) ?? SECTIONS[0];

/**
 * Returns the section that the URL's fragment names. The page adds only such fragments to the
 * browser's history.
 */
function useSection(): Section {
  const [section, setSection] = useState(readSection);
  useEffect(() => {
    const showSection = () => setSection(readSection());
    addEventListener("hashchange", showSection);
    return () => removeEventListener("hashchange", showSection);
  }, []);
  return section;
}

/** The page: a field for the key, and then everything that the key can see and do. */
export function PartnerPage(props: PageProps) {
  const [session, setSession] = useState<Session | null>(null);
  const open = async (
    key: string,
    // What stays when the page continues with a new secret of the same key.
    kept: Pick<Session, "secrets" | "shownSecrets" | "unanswered" | "refused"> = {
      secrets: new Map(),
      shownSecrets: new Map(),
      unanswered: new Map(),
      refused: { current: null },
    },
  ): Promise<void> => {
    const client = openClient(props, key);
    const readSession = async (): Promise<Session> => ({
      props,
      client,
      key: (await client.getKey()).data,
      ...kept,
      reload: async () => setSession(await readSession()),
      continueWith: (secret) => open(secret, kept),
    });
    setSession(await readSession());
  };
  const forget = () => setSession(null);
  // Leaving the page forgets the key, because a browser may keep the page to show it again.
  useEffect(() => {
    addEventListener("pagehide", forget);
    return () => removeEventListener("pagehide", forget);
  }, []);
  return session === null ? (
    <KeyForm props={props} onOpen={open} />
  ) : (
    <SessionProvider value={session}>
      <Workspace session={session} onForget={forget} />
    </SessionProvider>
  );
}

function Workspace({ session, onForget }: { session: Session; onForget: () => void }) {
  const section = useSection();
  const { title, Content } = section;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Partner page · deskbell`;
    heading.current?.focus();
  }, [title]);
  const { business, name, last4 } = session.key;
  return (
    <>
      <a class="skip" href="#content" onClick={(event) => focusHeading(event, heading.current)}>
        Skip to the content
      </a>
      <header class="bar">
        <h1>
          <OutsideText text={business.name} /> <span class="faint">Partner page</span>
        </h1>
        <p class="identity">
          Key <OutsideText text={name} /> <code>…{last4}</code>
        </p>
        <button type="button" onClick={onForget}>
          Forget the key
        </button>
        <nav aria-label="Sections">
          <ul>
            {SECTIONS.map((each) => (
              <li key={each.name}>
                <a href={`#${each.name}`} aria-current={each === section ? "page" : undefined}>
                  {each.title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </header>
      <main id="content">
        <h2 tabIndex={-1} ref={heading}>
          {title}
        </h2>
        <Content />
        <p class="faint">
          Times are those of {nameOfZone(ownZone())}, unless another zone is named.{" "}
          <DocsLink>Documentation of the API</DocsLink>
        </p>
      </main>
    </>
  );
}

/**
 * Moves the focus to a heading. The URL's fragment stays as it is, because it names the section.
 */
function focusHeading(event: Event, heading: HTMLElement | null): void {
  event.preventDefault();
  heading?.focus();
}

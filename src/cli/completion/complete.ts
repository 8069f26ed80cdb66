import type { Option } from "commander";
import { type CommandSpec, type CommandGroup, optionsOf } from "../command.ts";
import { GUIDES, SHELLS } from "../../platform/assets.ts";
import { SCOPES } from "../../domain/api-key.ts";
import type { Kind } from "../../domain/catalog/catalog.ts";
import { ALL_EVENT_TYPES } from "../../domain/event-types.ts";
import { FEATURES, loadFromFeatures } from "../../features/index.ts";
import type { Runtime } from "../../app/runtime.ts";
import type { BusinessRow } from "../../store/businesses.ts";

type Node = CommandSpec | CommandGroup;

export type Candidate = { value: string; about: string };

/** The word to complete: its candidates, or the kind of value to look up in the data. */
export type CompletionPoint = {
  candidates: Candidate[];
  /**
   * The noun and the argument or flag: `keys <key>`, `tickets --order`; undefined if no value
   * belongs here.
   */
  valueKind: string | undefined;
  typed: string;
  /** The part of the word before the value: `--event=`, or "". */
  head: string;
  given: Map<string, string>;
};

/** Parses an incomplete command line. Its last word, which may be empty, is the one to complete. */
export function parseLine(
  commands: readonly Node[],
  globals: readonly Option[],
  words: readonly string[],
): CompletionPoint {
  const path: string[] = [];
  const given = new Map<string, string>();
  let node: Node | undefined;
  let position = 0;
  let pendingOption: Option | undefined;
  let onlyArguments = false;
  let isUnknownCommand = false;

  const options = (): Option[] => [...ownOptions(node), ...globals];
  const findOption = (word: string): Option | undefined =>
    options().find(({ long, short }) => word === long || word === short);
  const children = (): readonly Node[] =>
    node === undefined ? commands : "commands" in node ? node.commands : [];

  for (const word of words.slice(0, -1)) {
    if (pendingOption) {
      given.set(pendingOption.long ?? "", word);
      pendingOption = undefined;
    } else if (word === "--") onlyArguments = true;
    else if (!onlyArguments && word.startsWith("-")) {
      const [name = "", value] = splitOnce(word);
      const option = findOption(name);
      if (option && takesValue(option) && value === undefined) pendingOption = option;
      else if (option && value !== undefined) given.set(name, value);
    } else {
      const child = children().find(({ name }) => name === word);
      if (child) {
        node = child;
        path.push(word);
      } else if (isGroup(node)) isUnknownCommand = true;
      else position += 1;
    }
  }

  const current = words.at(-1) ?? "";
  const point = (part: Partial<CompletionPoint>): CompletionPoint => ({
    candidates: [],
    valueKind: undefined,
    typed: current,
    head: "",
    given,
    ...part,
  });
  const noun = path[0] ?? "";
  if (isUnknownCommand) return point({});
  if (pendingOption) return point(valueOf(noun, pendingOption));
  if (!onlyArguments && current.startsWith("-")) {
    const [name = "", typed] = splitOnce(current);
    const option = findOption(name);
    if (option && typed !== undefined)
      return point({ ...valueOf(noun, option), typed, head: `${name}=` });
    return point({
      candidates: options().map(({ long, description }) => ({
        value: long ?? "",
        about: description,
      })),
    });
  }
  if (isGroup(node))
    return point({
      candidates: children()
        .filter(isListed)
        .map(({ name, about }) => ({ value: name, about })),
    });
  const argument = node.arguments[Math.min(position, node.arguments.length - 1)];
  const isSurplus = position >= node.arguments.length && !argument?.includes("...");
  return point({
    valueKind: argument === undefined || isSurplus ? undefined : `${noun} ${argument}`,
  });
}

function valueOf(noun: string, option: Option): Pick<CompletionPoint, "candidates" | "valueKind"> {
  const candidates = (option.argChoices ?? []).map((value) => ({ value, about: "" }));
  return { candidates, valueKind: candidates.length > 0 ? undefined : `${noun} ${option.long}` };
}

const ownOptions = (node: Node | undefined): Option[] => (isGroup(node) ? [] : optionsOf(node));

/** Whether commands follow; undefined is the program itself. */
const isGroup = (node: Node | undefined): node is CommandGroup | undefined =>
  node === undefined || "commands" in node;

const isListed = (node: Node): boolean => "commands" in node || node.isHidden !== true;

const takesValue = ({ required, optional }: Option): boolean => required || optional;

/** `--event=all` -> `["--event", "all"]` */
function splitOnce(word: string): [string, string?] {
  const at = word.indexOf("=");
  return at === -1 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

/** Maximum suggestions for append-only lists, newest first. */
export const MAX_NEWEST = 50;

export const candidate = (value: string, about = ""): Candidate => ({ value, about });
const plain = (values: readonly string[]): Candidate[] => values.map((value) => candidate(value));

/** The values that are always the same, by noun and argument or flag, or by the latter alone. */
const FIXED: Record<string, Candidate[]> = {
  "keys --scope": plain(SCOPES),
  "--event": plain(["all", ...ALL_EVENT_TYPES]),
  "deliveries --event": plain(ALL_EVENT_TYPES),
  "events <type>": plain(ALL_EVENT_TYPES),
  "events --type": plain(ALL_EVENT_TYPES),
  "completion <shell>": plain(SHELLS),
  "guide [topic]": Object.entries(GUIDES).map(([name, about]) => candidate(name, about)),
};

export type Lister = (rt: Runtime, business: BusinessRow | undefined) => Candidate[];

const objects =
  (kind: Kind): Lister =>
  (rt, business) =>
    (business ? [business] : rt.store.businesses.list())
      .flatMap(({ id }) => rt.store.catalog.listByKind(id, kind))
      .map(({ key, name }) => candidate(key, name));

const slugs: Lister = (rt) =>
  rt.store.businesses.list().map(({ slug, doc }) => candidate(slug, doc.name));

const keys: Lister = (rt, business) =>
  rt.store.keys
    .list(business?.id)
    .filter(({ revokedAt }) => revokedAt === null)
    .map(({ id, name }) => candidate(id, name));

const endpoints: Lister = (rt, business) =>
  rt.store.endpoints.list(business?.id).map(({ id, name, url }) => candidate(id, `${name} ${url}`));

const deliveries: Lister = (rt, business) =>
  rt.store.deliveries
    .list({ businessId: business?.id }, MAX_NEWEST)
    .map(({ id, eventType, status }) => candidate(id, `${eventType} ${status.toLowerCase()}`));

const events: Lister = (rt, business) =>
  rt.store.events
    .list({ businessId: business?.id }, MAX_NEWEST)
    .map(({ id, type }) => candidate(id, type));

/** Lists values only if the business is clear: the named one or the only one. */
export const perBusiness =
  (list: (rt: Runtime, businessId: string) => Candidate[]): Lister =>
  (rt, business) => {
    const [only, ...others] = business ? [business] : rt.store.businesses.list();
    return only && others.length === 0 ? list(rt, only.id) : [];
  };

const bookings = perBusiness(({ store }, businessId) =>
  store.bookings
    .list({ businessId }, MAX_NEWEST)
    .map(({ id, status }) => candidate(id, status.toLowerCase())),
);
const reservations = perBusiness(({ store }, businessId) =>
  store.reservations
    .list({ businessId }, MAX_NEWEST)
    .map(({ id, partySize, status }) => candidate(id, `for ${partySize}, ${status.toLowerCase()}`)),
);
const absences = perBusiness(({ store, now }, businessId) =>
  store.timeOff
    .listEndingAfter(businessId, now())
    .map(({ id, reason }) => candidate(id, reason ?? "")),
);

/**
 * The values that come from the data, by noun and argument or flag; by the latter alone if it means
 * the same for every noun.
 */
const LIVE: Record<string, Lister> = {
  "--business": slugs,
  "businesses <slug>": slugs,
  "businesses [slug]": slugs,
  "catalog [slug]": slugs,
  "<service>": objects("service"),
  "--service": objects("service"),
  "--addon": objects("addon"),
  "<staff>": objects("staff"),
  "[staff]": objects("staff"),
  "--staff": objects("staff"),
  "--add-service": objects("service"),
  "--remove-service": objects("service"),
  "--area": objects("area"),
  "--table": objects("table"),
  "<dish>": objects("menu_item"),
  "<promotion>": objects("promotion"),
  "<public-event>": objects("public_event"),
  "--public-event": objects("public_event"),
  "<key>": keys,
  "<endpoint>": endpoints,
  "--endpoint": endpoints,
  "<delivery>": deliveries,
  "[delivery]": deliveries,
  "events <event>": events,
  "bookings <id>": bookings,
  "reservations <id>": reservations,
  "time-off <id>": absences,
};

export const fixedValues = (valueKind: string): Candidate[] =>
  findKind(FIXED, valueKind) ??
  FEATURES.flatMap(({ fixedValues = {} }) => plain(fixedValues[valueKind] ?? []));

/** The values of an argument or flag, which a feature adds to those of the core. */
export type LiveValues = readonly [valueKind: string, list: Lister];

/** Loads the lists of features only for a value that the core does not know. */
export const loadLister = async (valueKind: string): Promise<Lister | undefined> =>
  findKind(LIVE, valueKind) ??
  findKind(Object.fromEntries(await loadFromFeatures("completion")), valueKind);

const findKind = <Value>(values: Record<string, Value>, valueKind: string): Value | undefined =>
  values[valueKind] ?? values[valueKind.slice(valueKind.indexOf(" ") + 1)];

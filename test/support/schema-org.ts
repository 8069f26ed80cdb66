import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import Validator from "@adobe/structured-data-validator";

// Checks JSON-LD with Adobe's validator and the vocabulary of schema.org, which the package
// schema-dts contains as TypeScript types.

type Node = { [name: string]: unknown };
type Issue = { issueMessage: string; severity: string };

/** Returns the classes and properties of schema.org in the form of its own JSON-LD file. */
function readVocabulary(): { "@graph": Node[] } {
  const path = createRequire(import.meta.url).resolve("schema-dts/dist/schema.d.ts");
  const text = readFileSync(path, "utf8");
  const graph: Node[] = [];
  const domains = new Map<string, string[]>();
  const ref = (name: string) => ({ "@id": `schema:${name}` });
  for (const [, name = "", parents = "", body = ""] of text.matchAll(
    /^(?:export )?interface (\w+) extends ([\w, <>]+) \{\n([^]*?)^\}/gm,
  )) {
    const own = name.replace(/(?:Base|Leaf)$/, "");
    const others = [...parents.matchAll(/(\w+)Base\b/g)]
      .map(([, parent = ""]) => parent)
      .filter((parent) => parent !== own);
    graph.push({
      "@id": `schema:${own}`,
      "@type": "rdfs:Class",
      "rdfs:subClassOf": others.map(ref),
    });
    for (const [, property = ""] of body.matchAll(/^ {4}"(\w+)"\?:/gm))
      domains.set(property, [...(domains.get(property) ?? []), own]);
  }
  for (const [property, types] of domains)
    graph.push({
      "@id": `schema:${property}`,
      "@type": "rdf:Property",
      "schema:domainIncludes": types.map(ref),
    });
  return { "@graph": mergeClasses(graph) };
}

/**
 * Merges the nodes of each class. schema-dts declares the properties of a type X in `XBase`, and
 * its name in `XLeaf`.
 */
function mergeClasses(graph: readonly Node[]): Node[] {
  const merged = new Map<unknown, Node>();
  for (const node of graph) {
    const known = merged.get(node["@id"]);
    const parents = [known, node].flatMap((one) => (one?.["rdfs:subClassOf"] ?? []) as Node[]);
    merged.set(node["@id"], parents.length > 0 ? { ...node, "rdfs:subClassOf": parents } : node);
  }
  return [...merged.values()];
}

const validator = new Validator(readVocabulary());

/** The fields that Google requires of a type. */
const REQUIRED: Record<string, readonly string[]> = {
  Event: ["name", "startDate", "location"],
  Place: ["name", "address"],
  VirtualLocation: ["url"],
  Menu: ["name", "hasMenuSection"],
  MenuSection: ["name", "hasMenuItem"],
  MenuItem: ["name"],
  Offer: [],
  OfferCatalog: ["name", "itemListElement"],
  OpeningHoursSpecification: ["opens", "closes"],
  PostalAddress: ["streetAddress", "addressLocality", "addressCountry"],
};
const REQUIRED_OF_BUSINESS = ["name", "address", "url"];

const nodesIn = (value: unknown): Node[] =>
  Array.isArray(value)
    ? value.flatMap(nodesIn)
    : typeof value === "object" && value !== null
      ? [value as Node, ...Object.values(value).flatMap(nodesIn)]
      : [];

/** Returns every issue of a graph, as a sentence. */
export async function findIssues(graph: readonly Node[]): Promise<string[]> {
  const jsonld: Record<string, Node[]> = {};
  for (const node of graph) (jsonld[String(node["@type"])] ??= []).push(structuredClone(node));
  const issues = (await validator.validate({ jsonld, microdata: {}, rdfa: {} })) as Issue[];
  const missing = nodesIn(graph).flatMap((node) => {
    const type = String(node["@type"] ?? "");
    const isBusiness = String(node["@id"]).endsWith("#business") && type !== "";
    const required = isBusiness ? REQUIRED_OF_BUSINESS : (REQUIRED[type] ?? []);
    return required
      .filter((name) => node[name] === undefined)
      .map((name) => `${type} lacks '${name}', which Google requires`);
  });
  return [
    ...issues.map(({ issueMessage, severity }) => `${severity}: ${issueMessage}`),
    ...missing,
  ];
}

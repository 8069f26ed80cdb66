/** The part of node-ical that the tests use. */
declare module "node-ical" {
  export const sync: { parseICS: (text: string) => object };
}

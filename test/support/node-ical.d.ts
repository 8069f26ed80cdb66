/** What the tests use of it. */
declare module "node-ical" {
  export const sync: { parseICS: (text: string) => object };
}

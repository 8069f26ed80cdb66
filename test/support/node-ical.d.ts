declare module "node-ical" {
  export const sync: { parseICS: (text: string) => object };
}

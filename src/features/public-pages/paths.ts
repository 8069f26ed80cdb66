/** Returns the paths of the pages of a business. @param path that of its first page */
export const pathsOf = (path: string) => ({
  menu: `${path}/menu`,
  services: `${path}/services`,
  events: `${path}/events`,
  event: (slug: string): string => `${path}/events/${encodeURIComponent(slug)}`,
  calendar: `${path}/events.ics`,
  jsonLd: `${path}.jsonld`,
  markdown: `${path}.md`,
});

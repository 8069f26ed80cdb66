import type { Business, Wish } from "./documented-types.ts";
import type { Draw } from "./documented-catalog.ts";
import type { Question } from "./documented-days.ts";
import { addDays } from "./documented-hours.ts";

/** Draws a question: a visit of one to three services, or a table, on one to three days. */
export function drawQuestion(business: Business, days: string[], draw: Draw): Question | null {
  const from = addDays(draw.pick(days), draw.int(2));
  const to = addDays(from, draw.int(3));
  const { tables } = business;
  if (tables.length > 0 && draw.chance(25)) {
    const party = 1 + draw.int(Math.max(...tables.map(({ max }) => max)));
    const areas = tables.flatMap(({ area }) => area ?? []);
    const area = areas.length > 0 && draw.chance(30) ? draw.pick(areas) : null;
    const largest = tables.filter((one) => area === null || one.area === area);
    return largest.some(({ max }) => max >= party) ? { from, to, party, area } : null;
  }
  const services = [...business.services.values()];
  const chosen = new Set([draw.pick(services)]);
  while (draw.chance(35)) chosen.add(draw.pick(services));
  const wishes: Wish[] = [...chosen].slice(0, 3).map((service) => {
    const variant =
      service.variants.length > 0 && draw.chance(60) ? draw.pick(service.variants) : null;
    const able = (variant?.staff ?? service.staff).filter(
      (id) => business.people.get(id)?.isPublic && business.people.get(id)?.canBeBooked,
    );
    return {
      service: service.id,
      variant: variant?.id ?? null,
      addons: service.addons
        .filter(() => draw.chance(40))
        .map((link) => ({
          addonId: link.id,
          quantity: Math.max(1, link.min) + draw.int(link.max - Math.max(1, link.min) + 1),
        })),
      staff: variant !== null && able.length > 0 && draw.chance(35) ? draw.pick(able) : null,
    };
  });
  const most = Math.min(...[...chosen].map(({ capacity }) => capacity));
  return { from, to, wishes, guests: 1 + draw.int(most) };
}

/** Returns the parameters of `/availability` for a question. */
export function queryOf(question: Question): URLSearchParams {
  const query = new URLSearchParams({ from: question.from, to: question.to });
  if ("party" in question) {
    query.set("partySize", String(question.party));
    if (question.area !== null) query.set("areaId", question.area);
  } else {
    const { wishes, guests } = question;
    const list = (name: string, values: string[]): void => {
      if (values.length > 0) query.set(name, values.join(","));
    };
    list(
      "serviceIds",
      wishes.map(({ service }) => service),
    );
    list(
      "variantIds",
      wishes.flatMap(({ variant }) => variant ?? []),
    );
    list(
      "addonIds",
      wishes.flatMap(({ service, addons }) =>
        addons.map(({ addonId, quantity }) => `${service}:${addonId}*${quantity}`),
      ),
    );
    list(
      "staffIds",
      wishes.flatMap(({ service, staff }) => (staff === null ? [] : `${service}:${staff}`)),
    );
    query.set("guests", String(guests));
  }
  return query;
}

/** Returns a service of a visit in the form of a segment of a booking request. */
export const toSegment = ({ service, variant, addons, staff }: Wish) => ({
  serviceId: service,
  variantId: variant,
  addons,
  staffId: staff,
});

import { integer, texts } from "../flags.ts";

/** What a visit is made of, in the same words where somebody asks for its times and where it is booked. */
export const visitFlags = {
  service: texts("key", "what is to be done; once for each, in their order"),
  variant: texts("key", "which variant of it; otherwise the usual one"),
  addon: texts("key", "an add-on, or several: wash*2; cut:wash where two services have it"),
  staff: texts("key", "with whom; cut:mia for one of several services; otherwise whoever is free"),
  guests: integer(1, 10_000, "how many take part (1)"),
};

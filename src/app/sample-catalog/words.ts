import type { Allergen } from "../../domain/catalog/catalog.ts";

/** The parts of generated names. */

const words = (text: string): string[] =>
  text.split(",").map((word) => word.replace(/\s+/g, " ").trim());

export const BUSINESS_NAMES = words(`
  Linden, Harbour, Juniper, Marlow, Aster, Rosewood, Quay, Elmfield, Halden, Mirabel`);
export const BUSINESS_TYPES = ["House", "Rooms", "Baths & Kitchen", "Yard", "Assembly", "Hall"];

export const FIRST_NAMES = words(`
  Amara, Anika, Bruno, Camille, Chiara, Dario, Elif, Elena, Farid, Freya, Giulia, Hana, Henrik, Imani, Ines,
  Jakub, Jonas, Kaori, Lea, Linh, Luca, Maya, Mateo, Milan, Nadia, Noah, Olga, Oskar, Paula, Priya, Rafael,
  Rosa, Samir, Sofia, Tariq, Tess, Valentina, Viktor, Yara, Zoé`);
export const LAST_NAMES = words(`
  Abebe, Andersen, Baumann, Bianchi, Castillo, Dubois, Eriksen, Ferreira, Fischer, García, Haddad, Ito,
  Jensen, Kaya, Keller, Kowalski, Laurent, Lopez, Meier, Moreau, Nguyen, Novak, Okafor, Papadakis, Patel,
  Rossi, Santos, Schmid, Silva, Tanaka, Vogel, Wagner, Weber, Yilmaz, Zhang`);
export const TITLES = [
  "Stylist",
  "Senior stylist",
  "Colourist",
  "Barber",
  "Therapist",
  "Massage therapist",
  "Make-up artist",
  "Manager",
];
export const LANGUAGES = ["de", "en", "es", "fr", "it", "pt"];

export const SERVICE_FAMILIES = [
  {
    name: "Cuts",
    color: "#2f6f73",
    services: ["Cut", "Cut and blow-dry", "Fringe trim", "Dry cut", "Restyle", "Clipper cut"],
  },
  {
    name: "Colour",
    color: "#a4506c",
    services: ["Root tint", "Balayage", "Highlights", "Gloss", "Colour correction"],
  },
  {
    name: "Massage",
    color: "#5b7f4a",
    services: ["Deep tissue massage", "Back massage", "Hot stone massage", "Foot massage"],
  },
  {
    name: "Skin",
    color: "#c98a2b",
    services: ["Facial", "Peel", "LED therapy", "Hydration treatment", "Dermaplaning"],
  },
  {
    name: "Nails",
    color: "#8a5fa8",
    services: ["Manicure", "Gel manicure", "Pedicure", "Nail repair", "Nail art"],
  },
  {
    name: "Brows and lashes",
    color: "#4a5f8f",
    services: ["Brow shape", "Brow tint", "Lash lift", "Lash extensions"],
  },
  {
    name: "Wellness",
    color: "#3f7d58",
    services: ["Sauna hour", "Steam bath", "Flotation", "Breathwork", "Yoga class"],
  },
];
export const SERVICE_FOR = [
  "",
  "for short hair",
  "for long hair",
  "for curls",
  "for teens",
  "for two",
  "at home",
  "for beginners",
];
export const SERVICE_STYLES = words(`
  , Classic , Express , Signature , Organic , Evening , Bridal , Seasonal , Late , Weekend`);
export const VARIANTS = ["Junior", "Senior", "Master", "Extended", "Director"];
export const ADDONS = words(`
  Scalp massage, Deep conditioner, Toner, Hand mask, Paraffin dip, Aromatherapy, Eye mask, Herbal tea, Beard
  trim, Hot towel`);
export const ADDON_SIZES = [
  "",
  "(short)",
  "(long)",
  "(double)",
  "with argan oil",
  "with aloe",
  "with rose",
  "with mint",
];
export const RESOURCES = [
  "Styling chair",
  "Wash basin",
  "Treatment room",
  "Massage table",
  "Nail desk",
  "Float tank",
  "Studio",
];
export const RESOURCE_PLACES = [
  "by the window",
  "upstairs",
  "on the ground floor",
  "in the garden wing",
  "at the back",
];

export const MENU_FAMILIES = words(`
  Starters, Soups, Salads, Pasta, Mains, From the grill, Sides, Desserts, Cheese, Breakfast`);
export const MENU_OCCASIONS = words(`
  , Lunch: , Dinner: , Sunday: , Children's , Winter , Summer , Terrace , Bar`);
export const PREPARATIONS = words(`
  Roast, Grilled, Braised, Smoked, Pan-fried, Slow-cooked, Chilled, Poached, Crispy, Pickled, Baked, Glazed,
  Charred, Marinated, Steamed`);
export const MAINS: readonly { name: string; allergens: Allergen[]; dietary: string[] }[] = [
  { name: "trout", allergens: ["fish"], dietary: [] },
  { name: "perch", allergens: ["fish"], dietary: [] },
  { name: "salmon", allergens: ["fish"], dietary: [] },
  { name: "prawns", allergens: ["crustaceans"], dietary: [] },
  { name: "mussels", allergens: ["molluscs"], dietary: [] },
  { name: "chicken", allergens: [], dietary: [] },
  { name: "duck breast", allergens: [], dietary: [] },
  { name: "pork belly", allergens: [], dietary: [] },
  { name: "lamb shoulder", allergens: [], dietary: [] },
  { name: "veal cheeks", allergens: ["celery"], dietary: [] },
  { name: "beef short rib", allergens: ["celery"], dietary: [] },
  { name: "venison", allergens: [], dietary: [] },
  { name: "halloumi", allergens: ["milk"], dietary: ["vegetarian"] },
  { name: "goat's cheese", allergens: ["milk"], dietary: ["vegetarian"] },
  { name: "ricotta dumplings", allergens: ["milk", "gluten", "eggs"], dietary: ["vegetarian"] },
  { name: "cauliflower", allergens: [], dietary: ["vegan"] },
  { name: "aubergine", allergens: [], dietary: ["vegan"] },
  { name: "celeriac", allergens: ["celery"], dietary: ["vegan"] },
  { name: "king oyster mushrooms", allergens: [], dietary: ["vegan"] },
  { name: "tofu", allergens: ["soybeans"], dietary: ["vegan"] },
  { name: "beetroot", allergens: [], dietary: ["vegan"] },
  { name: "hokkaido pumpkin", allergens: [], dietary: ["vegan"] },
  { name: "leeks", allergens: [], dietary: ["vegan"] },
  { name: "artichokes", allergens: [], dietary: ["vegan"] },
];
/** Vegan and without allergens, so that those of the main ingredient apply to the whole dish. */
export const ACCOMPANIMENTS = words(`
  rosemary potatoes, braised lentils, polenta, pearl onions, chicory, wild rice, salsa verde, white beans,
  fennel and orange, pickled cucumber, peas and mint, roast carrots, red cabbage, saffron rice, chickpeas,
  grilled peppers, spinach, kohlrabi, sweet potato mash, quince, blackberries, horseradish, radishes, tomato
  confit, green beans, tarragon oil, burnt lemon, capers and parsley, harissa, wild garlic`);
export const MODIFIERS = [
  { name: "Side dish", options: ["Fries", "Green salad", "Rice", "Seasonal vegetables"] },
  { name: "Sauce", options: ["Herb oil", "Pepper jus", "Chimichurri", "Tomato salsa"] },
  { name: "How it is done", options: ["Rare", "Medium", "Well done"] },
  { name: "Extras", options: ["Olives", "Avocado", "Grilled mushrooms", "Crispy onions"] },
  { name: "Spice", options: ["Mild", "Medium", "Hot"] },
];
export const MODIFIER_PLACES = [
  "",
  "at lunch",
  "at dinner",
  "on Sundays",
  "for children",
  "on the terrace",
  "at the bar",
];
export const AREAS = [
  "Dining room",
  "Terrace",
  "Garden",
  "Bar",
  "Winter garden",
  "Gallery",
  "Cellar",
  "Roof",
];

export const ACTS = words(`
  Blue Hour Trio, Kestrel Quartet, The Paper Lanterns, Nadia Okafor, Northlight Choir, Los Faroles, Duo
  Meridian, Saltwater Folk, Ines & the Tide, Brass on the Square, The Long Table, Velvet Static`);
export const OCCASIONS = words(`
  live, unplugged, album night, wine dinner, matinee, late set, garden concert, tasting evening, workshop,
  benefit night`);
export const TICKETS = ["Standing", "Seated", "Balcony", "Dinner and show", "Early entry"];

export const OFFERS = words(`
  Happy hour, Early bird, Weekday calm, Welcome, Bring a friend, Birthday, Student, Rainy day, Last minute,
  Season opening`);
export const OFFER_SEASONS = words(`
  , Spring , Summer , Autumn , Winter , Monday , Tuesday , Lunchtime , Late`);

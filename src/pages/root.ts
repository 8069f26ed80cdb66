/** The ID of the element that has the content of a page, and its props in `data-props`. */
export const ROOT_ID = "page";

/**
 * Differences between responses and the OpenAPI document that no test has reported yet. Files that
 * share a process share the observer that fills this list, but not the hook that empties it.
 */
export const undocumented: string[] = [];

/**
 * The differences between responses and the OpenAPI document that no test has reported yet. Test
 * files that share a process share the observer that fills this list, but not the hook that empties
 * it.
 */
export const undocumented: string[] = [];

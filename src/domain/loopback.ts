/** Accepts a Host header, the host of a URL, or an address to listen on. */
export const isLoopbackHost = (host: string): boolean =>
  host === "::1" || /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d*)?$/i.test(host);

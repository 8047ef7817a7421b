// Recognizes addresses that only this machine can reach.

/** Whether a listener on `host`, an address or `localhost`, can be reached only from this machine. */
export const isLoopback = (host: string): boolean => /^(127(\.\d{1,3}){3}|localhost|\[?::1\]?)$/i.test(host);

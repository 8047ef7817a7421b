// Which addresses only this machine reaches.

/** Whether whoever listens on `host`, an address or `localhost`, is reached from this machine alone. */
export const isLoopback = (host: string): boolean => /^(127(\.\d{1,3}){3}|localhost|\[?::1\]?)$/i.test(host);

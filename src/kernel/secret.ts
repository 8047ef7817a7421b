// Text that may hold a key: whoever writes one where a file is wanted must not find it again in a log, a ticket or a terminal's history.

/** 32 bytes in hex, alone or in a longer run of hex: a key, or what was made from one. */
const KEY = /(?:0x)?[0-9a-fA-F]{64,}/g;
/** The same read as a number: an unquoted key of digits alone, or with 0x in front. */
const DIGITS = /\d{40,}/g;

/** Whether the whole text is a key rather than a path: a file may be named after its public key, but not with nothing else. */
export const isKey = (text: string): boolean => /^\s*(?:0x)?[0-9a-fA-F]{64,}\s*$/.test(text);

/** User and password before the host of a URL, whatever is in them. */
const CREDENTIALS = /\/\/[^\s"]*@/g;

/** The text with every possible key and every user and password of a URL left out. Also public keys: nobody can tell which it is. */
export const withoutKeys = (text: string): string =>
  text.replace(KEY, "[a key]").replace(DIGITS, "[a key]").replace(CREDENTIALS, "//[credentials]@");

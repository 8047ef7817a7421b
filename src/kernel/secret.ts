// Removes keys from text: a user who pastes a key where a file name belongs must not find it in a log, a ticket or a terminal's history.

/** 32 bytes in hex, alone or in a longer run of hex: a key, or something derived from one. */
const KEY = /(?:0x)?[0-9a-fA-F]{64,}/g;
/** The same as a number: an unquoted key of only digits, or with 0x before it. */
const DIGITS = /\d{40,}/g;

/** Whether the whole text is a key, not a path. A file name may contain its public key, but must not be only a key. */
export const isKey = (text: string): boolean => /^\s*(?:0x)?[0-9a-fA-F]{64,}\s*$/.test(text);

/** User and password before the host of a URL, whatever they contain. */
const CREDENTIALS = /\/\/[^\s"]*@/g;

/**
 * The text without anything that may be a key, and without users and passwords in URLs. Removes public keys too, because they look the
 * same.
 */
export const withoutKeys = (text: string): string =>
  text.replace(KEY, "[a key]").replace(DIGITS, "[a key]").replace(CREDENTIALS, "//[credentials]@");

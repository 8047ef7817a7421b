// A maximum is no ratchet. Of words that carry a time the newest counts, but one that lies ahead of all others must not outweigh them for ever:
// two later words in a row that are older than it, the second not older than the first, contradict it, and it is dropped.

/** `taken`: the word is as new as the newest. `unconfirmed`: it is older. `dropped`: it is the second that is, and counts in place of the newest. */
export type Weight = "taken" | "unconfirmed" | "dropped";

/**
 * What a word makes of the newest one. `older`: the last word that was older than the newest and counts against it, since a word as new
 * was received; null: none. A word that may merely have come late is no such word: say nothing of it and keep `older` as it is.
 */
export function weigh<T>(
  word: T,
  newest: T | null,
  older: T | null,
  isOlder: (one: T, other: T) => boolean = (one, other) => one < other,
): Weight {
  if (newest === null || !isOlder(word, newest)) return "taken";
  return older !== null && !isOlder(word, older) ? "dropped" : "unconfirmed";
}

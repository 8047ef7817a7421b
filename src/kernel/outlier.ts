// Lets later values overrule a wrong maximum. Normally the value with the newest time counts; but a time ahead of all others must not win
// forever: two later values in a row that are older, the second not older than the first, contradict it, and it is dropped.

/**
 * `taken`: the value is at least as new as the newest. `unconfirmed`: it is older. `dropped`: it is the second older one, and replaces the
 * newest.
 */
export type Weight = "taken" | "unconfirmed" | "dropped";

/**
 * Decides what a value does to the newest one. `older`: the last value that contradicted the newest, with no value as new received since;
 * null: none. A value that may only be late does not contradict: do not call this for it, and keep `older`.
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

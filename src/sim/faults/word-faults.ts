// Faults of the height and time that the exchange reports.

import type { ChangeWord } from "../chain-words.ts";
import type { World } from "../world.ts";
import type { Fault } from "./fault.ts";

/**
 * `wrongPongs`: every pong is `amount` ms off. `somePongs`: half of them, at random. `laggingPongs`: they come from a replica that is
 * `amount` ms behind. `lowerHeight`: the chain continues at a height lower by the share `amount`, permanently. `ahead`: sometimes a frame
 * or an answer has heights and times `amount` ms ahead.
 */
export const wordFaults: ReadonlySet<string> = new Set([
  "wrongPongs",
  "somePongs",
  "laggingPongs",
  "lowerHeight",
  "ahead",
]);

const SHARE = 0.5;
const AHEAD_SHARE = 0.05;

export function beginWords({ id, how, amount }: Fault, { exchange, prng, worldConfig }: World): void {
  const { words, chain } = exchange;
  const dice = prng.fork(`words ${id}`);
  const offMs = Math.round(amount);
  const blocks = Math.ceil(offMs / worldConfig.devnet.blockTimeMs);
  const wrong: ChangeWord = ({ height, timeMs }) => ({ height, timeMs: timeMs + offMs });
  const late: ChangeWord = ({ height, timeMs }) => ({ height: Math.max(0, height - blocks), timeMs: timeMs - offMs });
  if (how === "lowerHeight") words.lower(amount, chain.head().height);
  else if (how === "ahead") words.beginAhead(id, { ms: offMs, isNow: () => dice.chance(AHEAD_SHARE) });
  else if (how === "laggingPongs") words.begin(id, late);
  else words.begin(id, how === "wrongPongs" ? wrong : (word) => (dice.chance(SHARE) ? wrong(word) : word));
}

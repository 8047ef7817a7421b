// How much a market or an account may do: active → reducing → halted. The stricter of the two applies.

export const tradingStates = ["active", "reducing", "halted"] as const;
export type TradingState = (typeof tradingStates)[number];

/** The strictest of the states; "active" if there are none. */
export function strictest(states: Iterable<TradingState>): TradingState {
  let found: TradingState = "active";
  for (const state of states) if (tradingStates.indexOf(state) > tradingStates.indexOf(found)) found = state;
  return found;
}

// The laws that a simulated world is held to, judged from the exchange's side and by an observer who sees all that reaches the bot and
// all that leaves it, never by what the bot believes.

export const laws = {
  S1: "no new exposure is sent while a fact that was delivered forbids it",
  S2: "position and live orders together never exceed the limit",
  S3: "every fill of the exchange is in the ledger once, and no other",
  S4: "no nonce is signed over two bodies, except for a fence",
  S6: "after a halt no new exposure is sent, across restarts",
  S7: "the ledger's money is the exchange's, to the base unit",
  S8: "our bid is below our ask",
  S9: "no transaction but a cancel while the exchange said to wait",
  S10: "no secret is in log, status or ledger",
  S11: "nothing waits without a bound",
  S15: "no risk is added far from the last trusted print, nor while a print is unconfirmed",
  S14: "the watchdog leaves a daemon that turns and can act alone",
  S16: "no order of the owner's is canceled",
  S13: "a restart changes no record of money",
  L1: "a halt leaves no order",
  L2: "a stop leaves no order, or names those that remain",
  L3: "no orphan after a crash",
  L4: "quotes return once all is well",
  L5: "a stale fact pulls the quotes",
  L6: "every unknown outcome is resolved",
  L7: "the watchdog leaves no order of a daemon that is silent or cannot act",
  L8: "a daemon whose orders the watchdog canceled halts, unless it knew that it could not act",
  L9: "a market that leaves the configuration leaves no order",
  L10: "where nothing rests although all is well the bot says why, and it is not ready where it cannot act",
  X: "the bot does not throw where nobody catches",
} as const;
export type Law = keyof typeof laws;

export type Violation = { readonly law: Law; readonly atMs: number; readonly text: string };

/** Says that a law is broken. The world ends with the first. */
export type Accuse = (law: Law, text: string) => void;

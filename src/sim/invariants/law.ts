// The laws of a simulated world, judged from the exchange's side and by an observer of everything that reaches or leaves the bot, never by
// the bot's own state. S: always. L: after faults have stopped and the world has recovered.

export const laws = {
  S1: "no new exposure is sent against a fact that was delivered",
  S2: "position and live orders together never exceed the limit",
  S3: "every fill of the exchange is in the ledger once, and no other, but for what a posting stands for",
  S4: "no nonce is signed over two bodies, except for a fence",
  S6: "while halted no new exposure is sent, across restarts",
  S7: "the ledger's money and contracts are the exchange's, to the base unit",
  S9: "no transaction but a cancel while the exchange said to wait",
  S10: "no secret is in log, status or ledger",
  S11: "nothing waits without a bound",
  S14: "the watchdog leaves a daemon that turns and can act alone",
  S15: "no risk is added far from the last trusted print, nor while a print is unconfirmed",
  S16: "no order of the owner's is canceled",
  S17: "the watchdog leaves no order of a daemon that is silent or cannot act",
  L1: "a halt leaves no order",
  L2: "a stop leaves no order, or names those that remain",
  L4: "every market is quoted, or the bot says which halt keeps it from that; and each halt has a reason in the world",
  L6: "every unknown outcome is resolved",
  X: "the bot does not throw where nobody catches",
} as const;
export type Law = keyof typeof laws;

export type Violation = { readonly law: Law; readonly atMs: number; readonly text: string };

/** Reports a broken law. The world ends with the first. */
export type Accuse = (law: Law, text: string) => void;

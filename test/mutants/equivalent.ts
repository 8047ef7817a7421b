// Mutants that no test can kill since they change nothing that anyone could see, each with the proof. One that is killed after all,
// or that is no longer made, is an error: the list may not hide anything.

const AT_EQUALITY = "Where the two are equal both ways lead to the same value.";
const MEMO = "It is worked out from facts that stand still while a batch is judged: once or each time is the same.";
const SHORTCUT = "Without it the rest of the function returns an empty list too; it only saves the work.";
const NULL_IS_ZERO = "A subtraction takes null for 0.";
const CROSSED = "A book is crossed only where both sides have a price.";

/** The name of a mutant to why it is the same program. */
export const equivalents: Readonly<Record<string, string>> = {
  "marginHere (src/bot/risk/limits/batch-limits.ts): `tally.margin ??= marginBaseOf(inputs);` left out": MEMO,
  "marginHere (src/bot/risk/limits/batch-limits.ts): `tally.margin ??= marginBaseOf(inputs)` → `tally.margin = marginBaseOf(inputs)`":
    MEMO,
  "judge (src/bot/risk/guard.ts): `batch.closed ??= (batch.readings ?? readGates(batch.inputs)).filter((reading) => reading.closed !== null)` → `batch.closed = (batch.readings ?? readGates(batch.inputs)).filter((reading) => reading.closed !== null)`":
    MEMO,
  "denialsOf (src/bot/risk/guard.ts): `reading.closed ?? {}` → `(reading.closed)`":
    "Only readings of closed gates come here, so there is something to the left.",
  'cancelInstead (src/bot/risk/guard.ts): `command.kind !== "modify"` always false':
    "Only a place gets past it, which names no order, so none is found and nothing is canceled.",
  "exposureRatio (src/domain/exposure.ts): `contracts > 0n` → `(contracts >= 0n)`": AT_EQUALITY,
  "reduced (src/domain/exposure.ts): `held >= 0n` → `(held > 0n)`": AT_EQUALITY,
  "marginBase (src/bot/risk/limits/margin.ts): `held < 0n` → `(held <= 0n)`": AT_EQUALITY,
  'malformation (src/bot/risk/limits/order-limits.ts): `order?.state ?? "absent"` → `(order?.state)`':
    "A modify whose order is not tracked makes no proposal, so there is an order.",
  "standAt (src/bot/risk/limits/tally.ts): `at > nearest` → `(at >= nearest)`": AT_EQUALITY,
  "standAt (src/bot/risk/limits/tally.ts): `at < nearest` → `(at <= nearest)`": AT_EQUALITY,
  "strictest (src/bot/risk/trading-state.ts): `tradingStates.indexOf(state) > tradingStates.indexOf(found)` → `(tradingStates.indexOf(state) >= tradingStates.indexOf(found))`":
    AT_EQUALITY,
  "eachDailyPnl (src/bot/risk/trips.ts): `!ofMarket && !ofAccount` always false": SHORTCUT,
  "checkKept (src/bot/risk/guard.ts): `kept.length === 0` always false": SHORTCUT,
  'keptOrders (src/bot/risk/limits/proposal.ts): `"orderId" in command` always true':
    "A place names no order: the set gains `undefined`, which is the id of no order.",
  "keptOrders (src/bot/risk/limits/proposal.ts): `b.level ?? 0` → `(b.level)`": NULL_IS_ZERO,
  "keptOrders (src/bot/risk/limits/proposal.ts): `a.level ?? 0` → `(a.level)`": NULL_IS_ZERO,
  "gate printMove (src/bot/risk/gates/venue-gates.ts): `trusted?.price ?? null` → `(trusted?.price)`":
    "A print is unconfirmed against a trusted one, so there is one.",
  "gate book (src/bot/risk/gates/venue-gates.ts): `book.bids[0]?.price ?? null` → `(book.bids[0]?.price)`": CROSSED,
  "gate book (src/bot/risk/gates/venue-gates.ts): `book.asks[0]?.price ?? null` → `(book.asks[0]?.price)`": CROSSED,
  "marksOf (src/bot/risk/mark.ts): `inventory > 0n` → `(inventory >= 0n)`":
    "Without a position it has returned before.",
  "marksOf (src/bot/risk/mark.ts): `at < worst` → `(at <= worst)`": AT_EQUALITY,
  "usualIntervalMs (src/bot/risk/prints.ts): `quantile(intervalsMs, 0.5) ?? Number.POSITIVE_INFINITY` → `(quantile(intervalsMs, 0.5))`":
    "Nothing is as large as infinity, and no comparison with NaN holds either.",
  "distance (src/bot/risk/prints.ts): `a > b` → `(a >= b)`": AT_EQUALITY,
  "marginBaseOf (src/bot/risk/limits/worst-case.ts): `fresh(view.position)`: old passes for fresh":
    "Both who ask have asked for a fresh position before and gone no further without one.",
  "sizeAdvice (src/bot/risk/size-advice.ts): `quantile(takers, 0.5) ?? null` → `(quantile(takers, 0.5))`":
    "Twenty takers and more have a median.",
  "depthOf (src/bot/risk/size-advice.ts): `Math.abs(usdOf(price) / usdOf(middle) - 1) * 10_000 <= NEAR_BPS` → `(Math.abs(usdOf(price) / usdOf(middle) - 1) * 10_000 < NEAR_BPS)`":
    "Doubles near 1 are too far apart for one to be 10 bps away exactly.",
  "tallyProposal (src/bot/risk/limits/proposal.ts): `order !== null` always true":
    "What is no place is a modify, and a modify whose order is not tracked makes no proposal.",
};

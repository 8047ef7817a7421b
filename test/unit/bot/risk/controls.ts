// docs/risk-controls.md as text, made from the rows of the code: gates, what a closed one blocks, limits, trips; and
// docs/reference/risk-checklist.md, what they answer to, with what other parts hold of it.

import { type Control, passageThrough } from "../../../../src/bot/risk/gates/gate.ts";
import { gates } from "../../../../src/bot/risk/gates/gates.ts";
import { limitRules } from "../../../../src/bot/risk/limits/limit-rules.ts";
import { DEPTH_SHARE, EQUITY_SHARE, NEAR_BPS, ORDERS_HELD, TAKERS } from "../../../../src/bot/risk/size-advice.ts";
import { trips } from "../../../../src/bot/risk/trips.ts";

/** The checklist: each control's name, and where it comes from. */
export const checklist: Readonly<Record<string, readonly [name: string, source: string]>> = {
  A1: ["Oracle validity", "FIA 2015, data reasonability"],
  A2: ["Market status", "FIA 2024, exchange volatility controls"],
  A3: ["Price collar", "RTS 6 Art. 15, SEC 15c3-5"],
  A4: ["Order size and value", "RTS 6 Art. 15; the Citi fines of 2024"],
  A5: ["Worst-case position", "RTS 6 Art. 15, SEC 15c3-5"],
  A6: ["Margin at the tier of the worst case", "SEC 15c3-5, capital thresholds"],
  A7: ["Message throttle", "RTS 6 Art. 15, CFTC Regulation AT"],
  A8: ["Repeated execution", "RTS 6 Art. 15; Knight 2012"],
  A9: ["Duplicate order, journal before send", "SEC 15c3-5"],
  A10: ["Nonce discipline", "the exchange's rules (S5)"],
  A11: ["Self-trade prevention", "FIA 2024"],
  A12: ["Book sanity", "FIA 2015, data reasonability"],
  A13: ["Feed continuity without sequence numbers", "the exchange's stream (S6.2)"],
  A14: ["Clock", "fault models of replicated databases"],
  A15: ["Key status", "SEC 15c3-5, authorized access"],
  A16: ["Allow-list of accounts and markets", "SEC 15c3-5, RTS 6 Art. 8"],
  A17: ["Parameter sanity", "FIA 2024"],
  A18: ["Fees and expected edge", "maker practice"],
  B1: ["Kill switch and cancel capacity", "RTS 6 Art. 12, FIA 2015"],
  B3: ["Loss limits", "SEC 15c3-5, capital thresholds"],
  B4: ["Soft stop: reduce only", "maker practice"],
  B5: ["Cancel on disconnect", "FIA 2024"],
  B6: ["Volatility pause", "FIA 2024, exchange volatility controls"],
  B7: ["Toxicity", "maker practice"],
  B8: ["Reject ratio", "RTS 6 Art. 13, CFTC Regulation AT"],
  B9: ["Event-loop lag", "Knight 2012: monitors must reach the order path"],
  B10: ["Disk", "own"],
  C1: ["Fills against the exchange's", "FIA 2024, RTS 6 Art. 17"],
  C2: ["Position and balance identity", "RTS 6 Art. 17"],
  C3: ["Open orders against the exchange's", "execution engines' reconciliation"],
};

/** Held outside the guard, or by it together with others. */
export const heldElsewhere: readonly { readonly control: string; readonly how: string; readonly test: string }[] = [
  {
    control: "A7",
    how: "The queue keeps to the exchange's budget and slows down on HTTP 429, cancels last of all.",
    test: "test/unit/bot/decider/sends/budget.test.ts",
  },
  {
    control: "A10",
    how: "One allocator per key reserves nonces on disk ahead of use.",
    test: "test/unit/bot/execution/nonces.test.ts",
  },
  {
    control: "A13",
    how: "Heartbeat and forced reconnect; every fact of an older connection is stale.",
    test: "test/unit/bot/venue/remote-stream.test.ts",
  },
  {
    control: "A16",
    how: "The start checks chain id, key and accounts; another chain id than the exchange's ends it.",
    test: "test/unit/bot/execution/agent-key.test.ts",
  },
  {
    control: "B1",
    how: "The kill switch fences, then cancels until no order rests.",
    test: "test/unit/bot/decider/acting/mass-cancel.test.ts",
  },
  {
    control: "B5",
    how: "The exchange has no cancel on disconnect. A dead stream closes the gate `stream`, and the plan cancels resting orders over HTTP.",
    test: "test/unit/bot/risk/gates/gates.test.ts",
  },
  {
    control: "B7",
    how: "Of a side whose fills lose, quotes stand further away and are smaller before the limit `adverseFills` stops them.",
    test: "test/unit/bot/decider/turns/answered.test.ts",
  },
  {
    control: "C1",
    how: "Each fill is booked once, whichever source reports it, and missed fills are recovered.",
    test: "test/unit/bot/account/fills.test.ts",
  },
  {
    control: "C2",
    how: "Collateral change = realized + funding - fees + transfers; a position that moves twice without a fill trips a latch.",
    test: "test/unit/bot/account/collateral.test.ts",
  },
  {
    control: "C3",
    how: "Open orders are compared with the exchange's; a foreign one trips a latch.",
    test: "test/unit/bot/account/orders/list.test.ts",
  },
];

const row = (...cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
const head = (...cells: readonly string[]): readonly string[] => [row(...cells), row(...cells.map(() => "---"))];
const code = (text: string): string => `\`${text}\``;

export const controlsOf = ({ controls }: Pick<Control, "controls">): readonly string[] => controls.split(" ");
/** The rule, with the keys that it goes by. */
const withKeys = (rule: string, limits: readonly string[]): string =>
  limits.length === 0 ? rule : `${rule} (${limits.map(code).join(", ")})`;

function gateRows(): readonly string[] {
  return gates.map((gate) => {
    const passes = passageThrough[gate.id];
    const reduce = { passes: "passes", blocked: "blocked", flatten: "flatten only", trial: "a trial" }[passes.reduce];
    return row(code(gate.id), withKeys(gate.rule, gate.limits), gate.missing, reduce);
  });
}

function limitRows(): readonly string[] {
  return limitRules.map((rule) =>
    row(
      code(rule.id),
      withKeys(rule.rule, rule.limits),
      rule.missing,
      rule.judges === "every" ? "judged" : "not judged",
      rule.resting ? "judged" : "–",
    ),
  );
}

/** Latches that other parts trip than the numbers of `trips`. */
export const otherTrips: readonly {
  readonly kind: string;
  readonly controls: string;
  readonly rule: string;
  readonly keys?: readonly string[];
  readonly test: string;
}[] = [
  {
    kind: "mismatch",
    controls: "C2",
    rule: "While the daemon was away the account lost more than the share of the smallest `maxLoss`, beyond what the price did to its positions; or the exchange contradicts itself: positions that move without a fill, reads that disagree, successes that nothing confirms.",
    keys: ["accounts[].maxAwayLossRatio"],
    test: "test/unit/bot/decider/desks/account-desk.test.ts",
  },
  {
    kind: "foreignActivity",
    controls: "C3",
    rule: "An order or a fill appears that none of our transactions made.",
    test: "test/unit/bot/decider/acting/foreign-activity.test.ts",
  },
  {
    kind: "liquidation",
    controls: "A6",
    rule: "The exchange liquidates the account.",
    test: "test/scenario/taken-over.test.ts",
  },
  {
    kind: "fault",
    controls: "B1",
    rule: "A turn of the market throws, so that nobody knows what it would have done.",
    test: "test/unit/bot/decider/faults.test.ts",
  },
  {
    kind: "operator",
    controls: "B1 B4",
    rule: "An operator halts, or asks to reduce only.",
    test: "test/unit/bot/risk/latches.test.ts",
  },
];

const tripRows = (): readonly string[] => [
  ...trips.map((trip) => row(code(trip.kind), withKeys(trip.rule, trip.limits), trip.missing)),
  ...otherTrips.map(({ kind, rule, keys = [] }) => row(code(kind), withKeys(rule, keys), "–")),
];

/** Each control of the checklist with all that holds it. */
function checklistRows(): readonly string[] {
  const holders = [
    ...gates.map((gate) => ({ ...gate, name: `gate ${code(gate.id)}` })),
    ...limitRules.map((rule) => ({ ...rule, name: `limit ${code(rule.id)}` })),
    ...trips.map((trip) => ({ ...trip, name: `latch ${code(trip.kind)}` })),
    ...otherTrips.map((trip) => ({ ...trip, name: `latch ${code(trip.kind)} (${code(trip.test)})` })),
  ];
  return Object.entries(checklist).map(([id, [name, source]]) => {
    const held = holders.filter((holder) => controlsOf(holder).includes(id)).map((holder) => holder.name);
    const elsewhere = heldElsewhere
      .filter(({ control }) => control === id)
      .map(({ how, test }) => `${how} (${code(test)})`);
    return row(id, name, source, [...(held.length === 0 ? [] : [`${held.join(", ")}.`]), ...elsewhere].join(" "));
  });
}

export const requiredKeys = ["maxPosition", "maxOrderSize", "maxOpenOrders", "maxLoss"];

export function controlsText(): string {
  return [
    "# Risk controls",
    "",
    "Three kinds of control stand between every strategy and the exchange, and no strategy can pass them. A command **increases** the worst",
    "case, **reduces** the position, or **cancels**; a cancel always passes. [The checklist](reference/risk-checklist.md) says what regulators and",
    "incidents ask for, and which control and test answer.",
    "",
    ...head("", "Is", "When it acts", "How it ends"),
    row(
      "gate",
      'a fact that must hold, such as "the oracle is Active"',
      "nothing that increases is sent, and orders that would are canceled; **Reduction** says whether orders that only reduce still pass",
      "once the fact is good again",
    ),
    row(
      "limit",
      "a number not to exceed",
      "the command that would exceed it is denied, a reduction only where **Reduction** says judged; a denied modify cancels its order; resting orders beyond it are canceled where **Resting orders** says judged",
      "with the next command within it",
    ),
    row(
      "latch",
      "a halt with a reason",
      "nothing is sent but cancels, and all orders of ours in the market or account are canceled; positions stay, and only an operator's `flatten` reduces them (after `quoin reduce` all reductions still pass)",
      "by `quoin resume --reason TEXT`, over restarts too",
    ),
    "",
    "A missing fact closes, unless the tables say otherwise; a check that throws denies. `quoin status`, the page and the log name each closed gate",
    "and each reason of a denial; [runbook.md](runbook.md) says what to do. The keys, with bounds and defaults, are in configuration.md:",
    "[of a market](configuration.md#limits-of-a-market-accountsmarketslimits), [of an account](configuration.md#limits-of-an-account-accountslimits).",
    "",
    "Made from the code by `npx vitest run test/unit/bot/risk/controls.test.ts -u`; a test fails when the two differ.",
    "",
    "## Gates: facts that must hold",
    "",
    ...head("Gate", "Rule, and the keys of its limits", "Facts missing or old", "Reduction"),
    ...gateRows(),
    "",
    "## Limits: numbers not to exceed",
    "",
    ...head("Limit", "Rule, and its keys", "Facts missing", "Reduction", "Resting orders"),
    ...limitRows(),
    "",
    "## Latches: halts that stay until an operator lifts them",
    "",
    ...head("Latch", "Trips when, and its keys", "Facts missing"),
    ...tripRows(),
    "",
    ...sizeText,
    "",
    ...collarText,
    "",
  ].join("\n");
}

export const checklistText = (): string =>
  [
    "# The checklist of risk controls",
    "",
    "What regulators, exchanges and incidents ask for, and what answers here; the rules are in [risk-controls.md](../risk-controls.md). In",
    "`test/unit/bot/risk` the test of gate X is `gates/gates.test.ts: X closes`, of limit X `limits/limit-rules.test.ts: X`, of a latch",
    "`trips.test.ts` where no other is named. Generated by `npx vitest run test/unit/bot/risk/controls.test.ts -u`.",
    "",
    ...head("", "Control", "Source", "Held by"),
    ...checklistRows(),
    "",
  ].join("\n");

/** `npx node bench/strategies.ts --sizes 0.5,1,2,5,10 --days 6 --seeds 3 --seed 7001` */
const measuredSizes = [
  "On the market that prints once a day depth and takers bind: the advice there is 1.0 contracts, twice the size of most tables in",
  "[strategies.md](strategies.md). `glft` on one level, with an inventory of ten orders, without guard and latency, six days of the same three seeds each",
  "(`npx node bench/strategies.ts --sizes 0.5,1,2,5,10 --days 6 --seeds 3 --seed 7001`), USDC a day; ± is the interval over seeds:",
  "",
  ...head("Size", "Mean", "Deviation of days", "Worst day", "Both sides rest"),
  row("0.5", "14.9 ± 17.1", "8.0", "1.1", "93 %"),
  row("1", "20.7 ± 23.4", "12.6", "0.6", "95 %"),
  row("2", "20.5 ± 23.3", "18.2", "-14.7", "96 %"),
  row("5", "11.3 ± 17.9", "16.2", "-38.5", "100 %"),
  row("10", "0.4 ± 11.8", "9.0", "-26.0", "8 %"),
  "",
  "Beyond the advice risk grows and income does not: 2 earns what 1 does, 5 half of it. The book seldom holds ten times the advice, and nothing is",
  "quoted on a center that it does not show. 1 earns more than 0.5 on each seed.",
];

const sizeText = [
  "## What size the market carries",
  "",
  "`quoin risk`, `quoin doctor` and a file that `quoin init` writes say it. It is the least of",
  "",
  `- ${DEPTH_SHARE} of what others offer within ${NEAR_BPS} bps of the mid, on the thinner side;`,
  `- ${TAKERS} median takers among the trades that the exchange lists, where they are twenty at least;`,
  `- the size of which ${ORDERS_HELD} held orders lose ${100 * EQUITY_SHARE} % of equity in one of 100 prints: ${EQUITY_SHARE} x equity / (${ORDERS_HELD} x price x the move that 1 % of the prints pass on a side).`,
  "",
  ...measuredSizes,
];

const collarText = [
  "## How often the collar binds",
  "",
  "Its default is 50 bps or six print deviations, whichever is more. With the whole bot it never kept a side from quoting on the market that prints once",
  "a day (`npx node bench/why-not-quoting.ts --config bench/strategies/print-aware.yaml --days 1 --seeds 2 --seed 7001`), and at most 1.2 % of the time",
  "on the demo (`--days 0.125 --seeds 1 --seed 7001`), whose mid at times stands further than 50 bps from a print with a deviation of 4.5 bps.",
];

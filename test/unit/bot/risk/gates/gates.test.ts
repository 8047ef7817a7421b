// Gates: each closes on every way its facts can go bad, stays open to the last unit, and blocks what the matrix says.

import { describe, expect, test } from "vitest";
import { type GateId, gateIds, notFresh, passageThrough } from "../../../../../src/bot/risk/gates/gate.ts";
import { blocking, gates, mostPermitted, readGates } from "../../../../../src/bot/risk/gates/gates.ts";
import { check } from "../../../../../src/bot/risk/guard.ts";
import type { RiskInputs } from "../../../../../src/bot/risk/risk-state.ts";
import type { ActionClass, Command } from "../../../../../src/domain/command.ts";
import { absent, type Fact } from "../../../../../src/domain/view.ts";
import { closings, healthy, openings } from "../closings.ts";
import { cancel, chainTimeMs, lots, now, old, oracle, order, place, usd, withInventory } from "../healthy.ts";

const closedGates = (inputs: RiskInputs) =>
  readGates(inputs).flatMap(({ gate, closed }) => (closed === null ? [] : [gate]));

test("in health every gate is open", () => {
  expect(closedGates(healthy)).toEqual([]);
  expect(mostPermitted(readGates(healthy))).toBe("increase");
});

test("every gate has a row in the list, in the order of ids, and ways to close that are tested", () => {
  expect(gates.map(({ id }) => id)).toEqual([...gateIds]);
  expect(new Set(closings.map(({ gate }) => gate))).toEqual(new Set(gateIds));
});

test.each(closings)("$gate closes: $how", ({ gate, closes, also = [] }) => {
  expect(new Set(closedGates(closes(healthy)))).toEqual(new Set([gate, ...also]));
});

test.each(closings)(
  "$gate counts as open where that is asked for, and no other gate: $how",
  ({ gate, closes, also = [] }) => {
    const { limits, ...closed } = closes(healthy);
    expect(new Set(closedGates({ ...closed, limits: { ...limits, openedGates: [gate] } }))).toEqual(new Set(also));
  },
);

test.each(openings)("$gate stays open: $how", ({ stays }) => {
  expect(closedGates(stays(healthy))).toEqual([]);
});

test.each([
  ["buy", { buy: 6000, sell: null }, 6000],
  ["sell", { buy: null, sell: 7000 }, 7000],
  ["both", { buy: 6000, sell: 7000 }, 6000],
])("which side stands still, for how long and why: %s", (side, forMs, told) => {
  const stillFor = (ms: number | null) => (ms === null ? null : { forMs: ms, why: `for ${ms}`, blocks: true });
  const stuckQuotes = { ...healthy.state.stuckQuotes, buy: stillFor(forMs.buy), sell: stillFor(forMs.sell) };
  const readings = readGates({ ...healthy, state: { ...healthy.state, stuckQuotes } });
  expect(readings.find(({ gate }) => gate === "cannotAct")?.closed).toEqual({ side, forMs: told, why: `for ${told}` });
});

test("an unconfirmed print is shown with the one that it moved from", () => {
  const { view, limits } = healthy;
  const leapt = { ...view, oracle: now({ ...oracle, price: usd(300) }) };
  const trusted = { price: usd(200), publishedMs: oracle.lastUpdateTimestampMs - 1 };
  const prints = { trusted, doubtful: null, newestMs: trusted.publishedMs, intervalsMs: [], against: null };
  const state = { ...healthy.state, observed: { ...healthy.state.observed, prints } };
  const closed = readGates({ view: leapt, limits, state }).find(({ gate }) => gate === "printMove")?.closed;
  expect(closed).toEqual({ from: usd(200), to: usd(300) });
});

test("a fact that is too old is told with its age, one that is not there as absent", () => {
  const closed = (view: RiskInputs["view"]) =>
    readGates({ ...healthy, view }).find(({ gate }) => gate === "stream")?.closed;
  expect(closed({ ...healthy.view, stream: old(1) })).toEqual({ stream: "stale", ageMs: 60_000 });
  expect(closed({ ...healthy.view, stream: absent })).toEqual({ stream: "absent" });
});

/** An agent key that ends one day, so that chain time matters to its gate. */
const expiring: RiskInputs = {
  ...healthy,
  view: {
    ...healthy.view,
    agent: now({ pubkey: "ab".repeat(32), name: "bot", expiresAtSec: chainTimeMs / 1000 + 86_400 }),
  },
};
/** The same inputs with one fact replaced, of the view or of the state. */
function withFact(inputs: RiskInputs, name: string, make: (value: unknown) => Fact<unknown>): RiskInputs {
  const part = name in inputs.view ? "view" : "state";
  const facts = inputs[part] as unknown as Readonly<Record<string, { readonly value: unknown }>>;
  return { ...inputs, [part]: { ...facts, [name]: make(facts[name]?.value) } };
}

test.each<readonly [GateId, string]>([
  ["journal", "journal"],
  ["ledgerSpace", "ledgerSpace"],
  ["reconciled", "reconciled"],
  ["reconciled", "position"],
  ["exposure", "position"],
  ["stream", "stream"],
  ["marketStatus", "market"],
  ["oracleStatus", "oracle"],
  ["oracleExpiry", "oracle"],
  ["oracleExpiry", "chain"],
  ["book", "book"],
  ["clock", "chain"],
  ["funds", "funds"],
  ["agentKey", "agent"],
  ["agentKey", "chain"],
  ["eventLoop", "eventLoopLagMs"],
  ["dailyPnl", "marketDailyPnl"],
])("%s closes without %s and with an old one, and says which", (id, fact) => {
  const told = (inputs: RiskInputs) => readGates(inputs).find(({ gate }) => gate === id)?.closed;
  expect(told(expiring)).toBe(null);
  expect(told(withFact(expiring, fact, () => absent))).toEqual({ [fact]: "absent" });
  expect(told(withFact(expiring, fact, old))).toEqual({ [fact]: "stale", ageMs: 60_000 });
});

test("the gate of the book says what is wrong with it", () => {
  const told = (view: RiskInputs["view"]) =>
    readGates({ ...healthy, view }).find(({ gate }) => gate === "book")?.closed;
  const level = (at: number) => [{ price: usd(at), size: lots(1), orderCount: 1 }];
  const crossed = now({ marketId: 1, bids: level(200.2), asks: level(200.1) });
  expect(told({ ...healthy.view, book: crossed })).toEqual({ bestBid: usd(200.2), bestAsk: usd(200.1) });
  expect(told({ ...healthy.view, oracle: absent })).toEqual({ oracle: "absent" });
});

test("a resync says how many orders may still execute, beside one that is not ours", () => {
  const lost = order(1, "buy", 199, 1, { state: "unknown", orderId: null });
  const others = order(2, "buy", 199, 1, { isForeign: true });
  const told = (...orders: RiskInputs["view"]["orders"]) => {
    const view = { ...healthy.view, orders, resync: { reason: "cannotAct", forMs: 5 } };
    return readGates({ ...healthy, view }).find(({ gate }) => gate === "reconciled")?.closed;
  };
  expect(told(lost, others)).toEqual({ reason: "cannotAct", forMs: 5, unfenced: 1 });
  for (const orders of [[], [lost], [others]]) expect(told(...orders)).toEqual({ reason: "cannotAct", forMs: 5 });
});

test("a print whose expiry the exchange does not tell is closed, and says so", () => {
  const view = { ...healthy.view, oracle: now({ ...oracle, validUntilSec: 0 }) };
  expect(readGates({ ...healthy, view }).find(({ gate }) => gate === "oracleExpiry")?.closed).toEqual({
    validUntil: "unknown",
  });
});

test("a jump of the print closes however old the oracle is", () => {
  const jumped = old({ ...oracle, price: usd(210) });
  expect(closedGates({ ...healthy, view: { ...healthy.view, oracle: jumped } })).toContain("printMove");
});

test("exposure closes on a short position beyond the limit as on a long one", () => {
  const view = withInventory(healthy.view, -20.000_001);
  expect(closedGates({ ...healthy, view })).toEqual(["exposure"]);
});

test("a pause says how long it still lasts", () => {
  for (const gate of ["volatility", "rejectRatio"] as const) {
    const paused = closings.find((one) => one.gate === gate && one.how.endsWith("ago"));
    const reading = readGates(paused?.closes(healthy) ?? healthy).find((one) => one.gate === gate);
    expect(reading?.closed).toEqual({ pausedMs: 1 });
  }
});

test("a closed gate says why in numbers", () => {
  for (const { gate, closes } of closings) {
    const reading = readGates(closes(healthy)).find((one) => one.gate === gate);
    expect(Object.keys(reading?.closed ?? {}).length).toBeGreaterThan(0);
  }
});

/** Written out once more, by hand: what passes while a gate is closed. C cancel, R reduce, F reduce of the operator's flatten alone. */
const matrix: Readonly<Record<GateId, "C" | "CF" | "CR">> = {
  halted: "CF",
  reducing: "CR",
  journal: "C",
  ledgerSpace: "CR",
  reconciled: "C",
  exposure: "CR",
  stream: "CR",
  marketStatus: "CR",
  oracleStatus: "CR",
  oracleExpiry: "CR",
  printMove: "CR",
  book: "CR",
  volatility: "CR",
  clock: "CR",
  funds: "CR",
  agentKey: "CF",
  nonce: "CR",
  eventLoop: "CR",
  rejectRatio: "CR",
  budget: "CR",
  dailyPnl: "CR",
  cannotAct: "CR",
};

const actions: readonly {
  readonly actionClass: ActionClass;
  readonly letter: "I" | "R" | "F" | "C";
  readonly command: Command;
}[] = [
  { actionClass: "increase", letter: "I", command: place("buy", 199.5, 1) },
  { actionClass: "reduce", letter: "R", command: place("sell", 200.5, 1, { reduceOnly: true }) },
  { actionClass: "reduce", letter: "F", command: place("sell", 200.5, 1, { reduceOnly: true, level: null }) },
  { actionClass: "cancel", letter: "C", command: cancel(order(1, "buy", 199, 1)) },
];

/** Long 2, so that there is something to reduce. */
const long = (inputs: RiskInputs): RiskInputs =>
  inputs.view.position.state === "fresh" && inputs.view.position.value.inventory === 0n
    ? { ...inputs, view: withInventory(inputs.view, 2) }
    : inputs;

const passes = (closed: readonly GateId[], letter: "I" | "R" | "F" | "C") =>
  closed.every((gate) => {
    const allowed = matrix[gate];
    return allowed.includes(letter) || (letter === "F" && allowed.includes("R"));
  });

describe("gate x action", () => {
  const cells = closings.flatMap((closing) => actions.map((action) => ({ ...closing, ...action })));
  test.each(cells)("$gate ($how): $letter", ({ closes, command, letter }) => {
    const inputs = long(closes(healthy));
    const { approved, denied } = check([command], inputs.view, inputs.limits, inputs.state);
    const closed = closedGates(inputs);
    // What would reduce a position that nobody knows may as well add to it.
    const seen = letter !== "C" && inputs.view.position.state !== "fresh" ? "I" : letter;
    const allowed = passes(closed, seen);
    expect(approved.length).toBe(allowed ? 1 : 0);
    const blockers = closed.filter((gate) => !passes([gate], seen));
    const reasons = denied.flatMap(({ denials }) => denials.map(({ reason }) => reason));
    // Limits may speak too, where the gate's fact is theirs; a gate that is open never does.
    expect(reasons.filter((reason) => (gateIds as readonly string[]).includes(reason))).toEqual(blockers);
  });

  test("no order that adds passes as the operator's flatten", () => {
    for (const { gate, closes } of closings) {
      const inputs = long(closes(healthy));
      const command = place("buy", 199.5, 1, { level: null });
      const { denied } = check([command], inputs.view, inputs.limits, inputs.state);
      expect(denied.flatMap(({ denials }) => denials.map(({ reason }) => reason))).toContain(gate);
    }
  });

  test("no gate stands in the way of a cancel", () => {
    for (const { closes } of closings) expect(blocking(readGates(closes(healthy)), "cancel", "quote")).toEqual([]);
  });

  test("with two gates closed what passes is what passes both", () => {
    for (const first of closings) {
      for (const second of closings) {
        const inputs = long(second.closes(first.closes(healthy)));
        const closed = closedGates(inputs);
        for (const { command, letter } of actions) {
          const { approved } = check([command], inputs.view, inputs.limits, inputs.state);
          expect({ first: first.gate, second: second.gate, letter, passed: approved.length === 1 }).toEqual({
            first: first.gate,
            second: second.gate,
            letter,
            passed: passes(closed, letter),
          });
        }
      }
    }
  });

  test("the plan is told the most that a quote may do", () => {
    for (const { closes } of closings) {
      const inputs = closes(healthy);
      // A side that stands still, or a short budget, has its orders wait one by one; the plan goes on.
      const closed = closedGates(inputs).filter((gate) => passageThrough[gate].increase !== "trial");
      const most = passes(closed, "R") ? "reduce" : "cancel";
      expect(mostPermitted(readGates(inputs))).toBe(closed.length === 0 ? "increase" : most);
    }
  });
});

test("a fact that is not fresh is named with its age, and with what makes it doubtful where something does", () => {
  const stale = { state: "stale", value: 1, ageMs: 7 } as const;
  expect(notFresh("book", { state: "fresh", value: 1, ageMs: 7 })).toBe(null);
  expect(notFresh("book", { state: "absent" })).toStrictEqual({ book: "absent" });
  expect(notFresh("book", stale)).toStrictEqual({ book: "stale", ageMs: 7 });
  expect(notFresh("book", { ...stale, doubt: "reads" })).toStrictEqual({ book: "stale", ageMs: 7, doubt: "reads" });
});

// One root cause where several gates are closed: what only follows from another is left out.

import { expect, test } from "vitest";
import { type Closed, rootCauses } from "../../../../../src/bot/decider/desks/root-causes.ts";
import { gateIds } from "../../../../../src/bot/risk/gates/gate.ts";
import { readGates } from "../../../../../src/bot/risk/gates/gates.ts";
import type { RiskInputs } from "../../../../../src/bot/risk/risk-state.ts";
import { absent, type Fact } from "../../../../../src/domain/view.ts";
import { chainTimeMs, healthyView, now, oracle } from "../../risk/healthy.ts";
import { withState, withView } from "../../risk/risk-inputs.ts";

const closedIn = (inputs: RiskInputs): readonly Closed[] =>
  readGates(inputs).flatMap(({ gate, closed }) => (closed === null ? [] : { reason: gate, numbers: closed }));
const causes = (inputs: RiskInputs) => rootCauses(closedIn(inputs)).map(({ reason }) => reason);
const old = <T>(fact: Fact<T>): Fact<T> => {
  if (fact.state === "absent") throw new Error("known");
  return { state: "stale", value: fact.value, ageMs: 60_000 };
};
const v = healthyView;

test("the exchange away: the stream", () => {
  const away = withView({
    ...{ stream: old(v.stream), chain: old(v.chain), market: old(v.market), oracle: old(v.oracle), book: old(v.book) },
    ...{ reconciled: old(v.reconciled), position: old(v.position), funds: old(v.funds), agent: old(v.agent) },
  });
  expect(closedIn(away).length).toBeGreaterThan(6);
  expect(causes(away)).toEqual(["stream"]);
});

test("a market that the exchange does not show: its status, though oracle, book and margin are unknown too", () => {
  const missing = withView({ market: absent, oracle: absent, book: absent });
  expect(closedIn(missing).length).toBeGreaterThan(3);
  expect(causes(missing)).toEqual(["marketStatus"]);
});

test("an unknown oracle price is told once", () => {
  expect(causes(withView({ oracle: absent }))).toEqual(["oracleStatus"]);
});

test("an account that is not reconciled: no word of position, funds and key", () => {
  const unread = withView({
    ...{ reconciled: old(v.reconciled), position: old(v.position), funds: old(v.funds), agent: old(v.agent) },
  });
  expect(causes(unread)).toEqual(["reconciled"]);
});

test("a clock that is off: no word of the nonces that it leaves none of", () => {
  const off = withState(
    { nonceRefusal: now({ code: "notReserved" }) },
    withView({ chain: now({ height: 1, timeMs: chainTimeMs, offsetMs: 60_000, blockMs: 0 }) }),
  );
  expect(causes(off)).toEqual(["clock"]);
  expect(causes(withState({ nonceRefusal: now({ code: "notReserved" }) }))).toEqual(["nonce"]);
});

test("a print that expired: no word of the oracle that is stale for it; one that is halted says so", () => {
  const expired = { ...oracle, validUntilSec: chainTimeMs / 1000 - 5 };
  expect(causes(withView({ oracle: now({ ...expired, status: "Stale" }) }))).toEqual(["oracleExpiry"]);
  expect(causes(withView({ oracle: now({ ...expired, status: "Halted" }) }))).toEqual(["oracleStatus", "oracleExpiry"]);
});

test("causes that have nothing to do with each other are all told, in their order", () => {
  const both = withState(
    { journal: now("failed" as const) },
    withView({ oracle: now({ ...oracle, status: "Halted" }) }),
  );
  expect(causes(both)).toEqual(["journal", "oracleStatus"]);
});

test("whatever is closed, something is told", () => {
  for (const reason of gateIds) expect(rootCauses([{ reason, numbers: {} }])).toHaveLength(1);
  for (const name of ["margin", "price", "funds", "stream", "accountDailyPnl"])
    expect(rootCauses([{ reason: "exposure", numbers: { [name]: "unknown" } }])).toHaveLength(1);
});

// Faults that only some worlds get, in addition to those that any world may get.

import type { FaultKind } from "./fault.ts";
import { NOTHING, ONCE, type Plan, variety } from "./variety.ts";

/** A rare fault. Each has its own random generator, seeded by its name, so that adding one changes nothing else. */
type Rider = { readonly name: string; readonly share: number; readonly kind: FaultKind; readonly plan: Plan };

export const riders: readonly Rider[] = [
  {
    name: "restored",
    share: 0.1,
    kind: "crash",
    plan: { times: [1, 2], varieties: [variety("restored", [500, 90_000], [10, 15_000])] },
  },
  {
    name: "tick",
    share: 0.1,
    kind: "market",
    plan: { times: [1, 3], varieties: [variety("tick", [3000, 60_000], [2, 20])] },
  },
  {
    name: "lag",
    share: 0.1,
    kind: "node",
    plan: {
      times: [1, 4],
      varieties: [
        variety("behind", [3000, 60_000], [1, 10]),
        variety("twoHeights", [3000, 60_000], [1, 10]),
        variety("accountsBehind", [3000, 60_000], [1, 40]),
      ],
    },
  },
  {
    name: "pastAccounts",
    share: 0.1,
    kind: "node",
    plan: {
      times: [2, 6],
      varieties: [
        variety("accountsAlone", [5000, 90_000], [2, 80]),
        variety("accountsMixed", [5000, 90_000], [2, 80]),
        variety("accountsBehind", [5000, 90_000], [2, 40]),
      ],
    },
  },
  {
    name: "senseless",
    share: 0.1,
    kind: "badAnswers",
    plan: { times: [3, 8], varieties: [variety("implausible", [2000, 30_000], [0.05, 1])] },
  },
  {
    name: "standstill",
    share: 0.1,
    kind: "stall",
    plan: { times: [1, 2], varieties: [variety("frozen", [60_000, 150_000], NOTHING)] },
  },
  {
    name: "drain",
    share: 0.2,
    kind: "operator",
    plan: { times: [1, 3], varieties: [variety("marketRemoved", [4000, 80_000], [0.3, 1])] },
  },
  {
    name: "wrongPrint",
    share: 0.1,
    kind: "oracle",
    plan: {
      times: [1, 3],
      varieties: [
        variety("wrong", ONCE, [300, 2500]),
        variety("wrong", ONCE, [-2500, -300]),
        variety("wrongTwice", ONCE, [300, 2500]),
        variety("wrongTwice", ONCE, [-2500, -300]),
        variety("confirmed", [60_000, 150_000], [300, 1500]),
        variety("confirmed", [60_000, 150_000], [-1500, -300]),
      ],
    },
  },
  {
    name: "withdrawal",
    share: 0.1,
    kind: "operator",
    plan: { times: [1, 2], varieties: [variety("withdrawal", [10_000, 40_000], NOTHING)] },
  },
  {
    name: "diskFull",
    share: 0.1,
    kind: "disk",
    plan: { times: [1, 3], varieties: [variety("full", [5000, 60_000], NOTHING)] },
  },
  {
    name: "manipulator",
    share: 0.1,
    kind: "market",
    plan: {
      times: [1, 3],
      varieties: [variety("dust", [10_000, 90_000], [1, 1]), variety("dust", [10_000, 90_000], [-1, -1])],
    },
  },
  {
    name: "ordersTurnedAway",
    share: 0.1,
    kind: "badAnswers",
    plan: {
      times: [1, 3],
      varieties: [
        variety("ordersRejected", [5000, 50_000], [1, 1]),
        variety("ordersThrottled", [30_000, 240_000], [1, 1]),
      ],
    },
  },
  {
    name: "pongs",
    share: 0.1,
    kind: "clock",
    plan: {
      times: [1, 4],
      varieties: [
        variety("wrongPongs", [5000, 120_000], [-3_600_000, 3_600_000]),
        variety("wrongPongs", [5000, 120_000], [-90_000, 90_000]),
        variety("somePongs", [20_000, 120_000], [-3_600_000, 3_600_000]),
      ],
    },
  },
  {
    name: "heights",
    share: 0.1,
    kind: "clock",
    plan: {
      times: [1, 2],
      varieties: [variety("lowerHeight", ONCE, [0.2, 0.9]), variety("laggingPongs", [3000, 60_000], [500, 30_000])],
    },
  },
  {
    name: "unnamed",
    share: 0.1,
    kind: "badAnswers",
    plan: { times: [2, 6], varieties: [variety("unnamed", [3000, 60_000], [0.2, 1])] },
  },
  {
    name: "noEvents",
    share: 0.1,
    kind: "badAnswers",
    plan: {
      times: [1, 4],
      varieties: [variety("noEvents", [3000, 60_000], [0.05, 0.5]), variety("noEvents", [3000, 30_000], [1, 1])],
    },
  },
  {
    name: "lies",
    share: 0.1,
    kind: "lies",
    plan: {
      times: [1, 4],
      varieties: ["noList", "emptyList", "partOfOrders", "otherPosition"].flatMap((how) => [
        variety(how, [1000, 60_000], [0.05, 0.5]),
        variety(how, [20_000, 120_000], [1, 1]),
      ]),
    },
  },
  {
    name: "ahead",
    share: 0.1,
    kind: "clock",
    plan: {
      times: [1, 5],
      varieties: [
        variety("ahead", [1000, 60_000], [1000, 1000]),
        variety("ahead", [1000, 60_000], [3_600_000, 3_600_000]),
      ],
    },
  },
  {
    name: "ownerProtects",
    share: 0.1,
    kind: "operator",
    plan: { times: [1, 2], varieties: [variety("protects", ONCE, NOTHING)] },
  },
];

/** For worlds whose exchange has a market that the bot does not quote. */
export const besideRiders: readonly Rider[] = [
  {
    name: "ownerTrades",
    share: 1,
    kind: "operator",
    plan: {
      times: [2, 6],
      varieties: [variety("besideAtOnce", ONCE, [-2, 2]), variety("besideWaiting", ONCE, [-2, 2])],
    },
  },
];

export const watchdogRiders: readonly Rider[] = [
  {
    name: "watchdog",
    share: 0.7,
    kind: "watchdog",
    plan: {
      times: [1, 4],
      varieties: [
        variety("deaf", [2000, 40_000], NOTHING),
        variety("cutOff", [2000, 40_000], NOTHING),
        variety("lossy", [5000, 60_000], [0.05, 0.4]),
        variety("dead", [1000, 40_000], NOTHING),
      ],
    },
  },
  {
    name: "daemonCut",
    share: 0.3,
    kind: "watchdog",
    plan: { times: [1, 2], varieties: [variety("daemonCut", [8000, 60_000], NOTHING)] },
  },
  {
    name: "keyRevoked",
    share: 0.2,
    kind: "agentKey",
    plan: { times: [1, 1], varieties: [variety("revoked", [20_000, 60_000], NOTHING)] },
  },
  {
    name: "stall",
    share: 0.7,
    kind: "stall",
    plan: { times: [1, 3], varieties: [variety("frozen", [6000, 40_000], NOTHING)] },
  },
  {
    name: "crash",
    share: 0.5,
    kind: "crash",
    plan: { times: [1, 3], varieties: [variety("killed", [5000, 60_000], NOTHING)] },
  },
];

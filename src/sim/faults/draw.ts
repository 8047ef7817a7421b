// Draws the faults of a seed: a few kinds often instead of all kinds rarely, because bugs appear where one kind repeats.

import { foreignWords } from "../../devnet/api/faults/foreign-words.ts";
import type { Prng } from "../../kernel/prng.ts";
import type { WorldConfig } from "../world-config.ts";
import { type Fault, type FaultKind, faultKinds } from "./fault.ts";
import { besideRiders, riders, watchdogRiders } from "./riders.ts";
import { NOTHING, ONCE, type Plan, variety } from "./variety.ts";

/** Kinds that only some worlds get, drawn separately. */
type Rare = "watchdog" | "lies" | "foreignWords";
const isCommon = (kind: FaultKind): kind is Exclude<FaultKind, Rare> =>
  kind !== "watchdog" && kind !== "lies" && kind !== "foreignWords";

/** Kinds that any world may get. */
const plans: Readonly<Record<Exclude<FaultKind, Rare>, Plan>> = {
  frames: {
    times: [2, 5],
    varieties: [
      variety("dropped", [5000, 60_000], [0.01, 0.2]),
      variety("doubled", [5000, 60_000], [0.01, 0.2]),
      variety("delayed", [5000, 60_000], [0.01, 0.2]),
    ],
  },
  halfOpen: { times: [2, 6], varieties: [variety("silent", ONCE, NOTHING), variety("pongsOnly", ONCE, NOTHING)] },
  reconnects: {
    times: [2, 5],
    varieties: [
      variety("dropped", ONCE, NOTHING),
      variety("storm", [5000, 30_000], [200, 3000]),
      variety("refused", [2000, 20_000], NOTHING),
      variety("hangs", [2000, 20_000], NOTHING),
      variety("channelLost", [10_000, 60_000], NOTHING),
      variety("staleSnapshot", [5000, 30_000], NOTHING),
    ],
  },
  lostAnswers: {
    times: [3, 8],
    varieties: [variety("silence", [5000, 40_000], [0.05, 0.5]), variety("reset", [5000, 40_000], [0.05, 0.5])],
  },
  lateLanding: { times: [3, 8], varieties: [variety("late", [5000, 30_000], [0.05, 0.3])] },
  badAnswers: {
    times: [3, 8],
    varieties: [
      variety("tooMany", [3000, 20_000], [0.1, 0.9]),
      variety("tooManyRetryAfter", [3000, 20_000], [0.1, 0.9]),
      variety("unavailable", [3000, 20_000], [0.1, 0.7]),
      variety("html", [3000, 20_000], [0.1, 0.7]),
      variety("truncated", [3000, 20_000], [0.1, 0.7]),
      variety("emptyObject", [3000, 20_000], [0.1, 0.7]),
    ],
  },
  clock: {
    times: [1, 4],
    varieties: [
      variety("stepForward", ONCE, [500, 5000]),
      variety("stepBack", ONCE, [500, 5000]),
      variety("suspend", ONCE, [1000, 60_000]),
    ],
  },
  node: {
    times: [1, 4],
    varieties: [variety("down", [500, 30_000], NOTHING), variety("unreachable", [500, 30_000], NOTHING)],
  },
  oracle: {
    times: [2, 5],
    varieties: [
      variety("halted", [2000, 30_000], NOTHING),
      variety("late", [5000, 60_000], [1000, 40_000]),
      variety("jump", ONCE, [-150, 150]),
      variety("leap", ONCE, [-600, 600]),
      variety("expired", ONCE, NOTHING),
    ],
  },
  market: { times: [1, 3], varieties: [variety("paused", [1000, 30_000], NOTHING)] },
  agentKey: {
    times: [1, 2],
    varieties: [
      variety("revoked", [2000, 30_000], NOTHING),
      variety("expires", [5000, 30_000], NOTHING),
      variety("rotated", ONCE, NOTHING),
    ],
  },
  disk: {
    times: [2, 5],
    varieties: [variety("fails", [200, 20_000], NOTHING), variety("slow", [1000, 20_000], [50, 5000])],
  },
  crash: {
    times: [2, 8],
    varieties: [
      variety("killed", [10, 5000], NOTHING),
      variety("killed", [5000, 60_000], NOTHING),
      variety("powerLost", [1000, 30_000], NOTHING),
      variety("loop", [50, 1500], [2, 6]),
    ],
  },
  terminate: { times: [1, 2], varieties: [variety("once", [500, 10_000], NOTHING)] },
  duplicate: { times: [1, 1], varieties: [variety("otherHost", [5000, 30_000], NOTHING)] },
  rate: { times: [1, 4], varieties: [variety("shared", [5000, 40_000], [0.5, 1.2])] },
  operator: {
    times: [1, 3],
    varieties: [
      variety("deposit", ONCE, [1, 5000]),
      variety("limitLowered", ONCE, [0.4, 0.9]),
      variety("strategy", ONCE, NOTHING),
      variety("halt", ONCE, NOTHING),
      variety("manualOrder", ONCE, NOTHING),
    ],
  },
  hostile: { times: [2, 5], varieties: [variety("frames", [1000, 20_000], [0.05, 0.5])] },
  stall: { times: [2, 10], varieties: [variety("short", ONCE, [100, 900]), variety("long", ONCE, [1000, 5000])] },
};

/** These end trading in a market or an account: kept rare, or most worlds would be idle. */
const FINAL = new Set(["halt", "manualOrder", "leap"]);
const KEEP_FINAL = 0.25;
const RARE: ReadonlySet<FaultKind> = new Set(["duplicate"]);
const KEEP_RARE = 0.3;
const TEN_MINUTES_MS = 600_000;
/** Time for the bot to begin quoting before the first fault. */
const QUIET_MS = 15_000;

/** Draws the faults of a world, which may strike until `untilMs`, ordered by time. */
export function drawFaults(prng: Prng, untilMs: number): readonly Fault[] {
  const count = 3 + prng.below(3);
  const common = faultKinds.filter(isCommon).filter(isKept);
  const kinds = prng.shuffle(common).slice(0, count);
  const drawn = kinds.flatMap((kind) => drawPlan(prng, kind, plans[kind], untilMs));
  return drawn.sort((a, b) => a.atMs - b.atMs).map((fault, id) => ({ id, ...fault }));

  function isKept(kind: FaultKind): boolean {
    return !RARE.has(kind) || prng.chance(KEEP_RARE);
  }
}

/** Draws additional rare faults, with ids from `firstId` on. `watchdog` and `beside`: null if the world has none. */
export function drawRiders(
  prng: Prng,
  untilMs: number,
  { watchdog, beside }: Pick<WorldConfig, "watchdog" | "beside">,
  firstId: number,
): readonly Fault[] {
  const some = [...(watchdog === null ? [] : watchdogRiders), ...riders, ...(beside === null ? [] : besideRiders)];
  const drawn = some.flatMap(({ name, share, kind, plan }) => {
    const own = prng.fork(name);
    return own.chance(share) ? drawPlan(own, kind, plan, untilMs) : [];
  });
  return drawn.map((fault, nth) => ({ id: firstId + nth, ...fault }));
}

/** Share of worlds whose exchange words one thing differently. */
const FOREIGN_SHARE = 0.25;
/** Wordings that block a market or a side, or prevent a start; and hashes that no law could compare. */
const CLOSING: ReadonlySet<string> = new Set([
  ...["market postOnly", "market reduceOnly", "oracle open", "printEnd null", "printEnd zero"],
  ...["trades status404", "account withoutAgents", "account withoutVolumes", "feeTiers status404"],
  "filled hashNumber",
]);

/** Draws what the world's exchange words differently for the whole run: usually nothing. */
export function drawForeignWords(prng: Prng, id: number): readonly Fault[] {
  if (!prng.chance(FOREIGN_SHARE)) return [];
  const words = Object.entries(foreignWords).flatMap(([unknown, names]) => names.map((name) => `${unknown} ${name}`));
  const how = prng.pick(words.filter((word) => !CLOSING.has(word)));
  return [{ id, kind: "foreignWords", how, atMs: 0, forMs: 0, amount: 0 }];
}

function drawPlan(prng: Prng, kind: FaultKind, { times, varieties }: Plan, untilMs: number): Omit<Fault, "id">[] {
  const drawn: Omit<Fault, "id">[] = [];
  const wanted = Math.max(1, Math.round((between(prng, times) * untilMs) / TEN_MINUTES_MS));
  for (let time = 0; time < wanted; time += 1) {
    const { how, forMs, amount } = prng.pick(varieties);
    const atMs = Math.round(between(prng, [QUIET_MS, untilMs]));
    const left = Math.max(0, untilMs - atMs);
    const fault = {
      kind,
      how,
      atMs,
      forMs: Math.min(left, Math.round(between(prng, forMs))),
      amount: rounded(between(prng, amount)),
    };
    if (!FINAL.has(how) || prng.chance(KEEP_FINAL)) drawn.push(fault);
  }
  return drawn;
}

const between = (prng: Prng, [low, high]: readonly [number, number]): number => low + (high - low) * prng.float();
const rounded = (amount: number): number => Number(amount.toPrecision(4));

// Unknown properties of the market that a strategy will meet: how long orders travel, how many takers are informed, how fast funding pays a
// premium, how fast makers return after an order. Each seed draws its own, so that no setting is fitted to one guess; equal seeds draw the
// same, whatever the setting.

import type { DevnetConfig, MarketConfig } from "../devnet/config/config.ts";
import type { Prng } from "../kernel/prng.ts";
import { exp, ln } from "../kernel/real.ts";
import type { Latencies } from "../sim/network/network-conditions.ts";
import type { WorldLine } from "./outcome.ts";

type Range = { readonly low: number; readonly usual: number; readonly high: number };

/**
 * Delays are medians one way; all other values are factors of the devnet's configuration. Informed takers are 5 to 15 % of all. Funding
 * pays a premium in the configured time, or up to three times as slowly. The pressure of an order fades in half to double the configured
 * time.
 */
const ranges = {
  orderMs: { low: 200, usual: 400, high: 800 },
  feedMs: { low: 25, usual: 50, high: 100 },
  informed: { low: 0.5, usual: 1, high: 1.5 },
  premiumPeriod: { low: 1, usual: 1, high: 3 },
  pressure: { low: 0.5, usual: 1, high: 2 },
} as const satisfies Readonly<Record<string, Range>>;

/** Lognormal: one order in a hundred takes five times the median; for frames, reads and answers, twice. */
const ORDER_SIGMA = ln(5) / 2.326_348;
const FEED_SIGMA = 0.3;

export type World = {
  readonly line: WorldLine;
  /** As used in the run. */
  readonly devnet: DevnetConfig;
  readonly latencies: (prng: Prng) => Latencies;
};

/** `prng`: used only for this seed; `isDrawn` false: everything has its configured or usual value. */
export function worldOf(devnet: DevnetConfig, isDrawn: boolean, prng: Prng): World {
  const of = (name: keyof typeof ranges): number => {
    const { low, usual, high } = ranges[name];
    // Uniform in the logarithm: half the usual value is as far from it as double.
    return isDrawn ? low * exp(prng.fork(name).float() * ln(high / low)) : usual;
  };
  const orderMs = Math.round(of("orderMs"));
  const feedMs = Math.round(of("feedMs"));
  const { flow } = devnet;
  const informedShare = flow.enabled ? Math.min(1, rounded(flow.informedShare * of("informed"))) : null;
  const pressureGaps = flow.enabled ? rounded(flow.pressureGaps * of("pressure")) : null;
  const longer = of("premiumPeriod");
  const markets = devnet.markets.map(
    (market): MarketConfig => ({ ...market, premiumPeriodSecs: Math.round(market.premiumPeriodSecs * longer) }),
  );
  return {
    line: {
      isDrawn,
      orderMs,
      feedMs,
      informedShare,
      pressureGaps,
      premiumPeriodSecs: Object.fromEntries(markets.map((market) => [market.marketId, market.premiumPeriodSecs])),
    },
    devnet: {
      ...devnet,
      markets,
      flow:
        flow.enabled && informedShare !== null && pressureGaps !== null
          ? { ...flow, informedShare, pressureGaps }
          : flow,
    },
    latencies: (prng) => latenciesOf({ orderMs, feedMs }, prng),
  };
}

/** Separate generators, so that draws for one kind do not depend on how often the others were drawn. */
function latenciesOf({ orderMs, feedMs }: Pick<WorldLine, "orderMs" | "feedMs">, prng: Prng): Latencies {
  const latencyOf = (of: Prng, medianMs: number, sigma: number) => (): number => medianMs * exp(sigma * of.gaussian());
  return {
    frames: latencyOf(prng.fork("frames"), feedMs, FEED_SIGMA),
    reads: latencyOf(prng.fork("reads"), feedMs, FEED_SIGMA),
    orders: latencyOf(prng.fork("orders"), orderMs, ORDER_SIGMA),
    answers: latencyOf(prng.fork("answers"), feedMs, FEED_SIGMA),
  };
}

const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;

// Helpers for testing a strategy: the strategy as the daemon loads and calls it, and markets to try it on.

import { fileURLToPath } from "node:url";
import type { Quotes } from "../../domain/quotes.ts";
import { priceFromUsd, sizeFromContracts } from "../../domain/rounding.ts";
import { price, type Size, size } from "../../domain/units.ts";
import { absent, type Fact, type View } from "../../domain/view.ts";
import { frozen } from "../../kernel/frozen.ts";
import { systemFiles } from "../../kernel/yaml/files.ts";
import { checkedQuotes } from "./checked-quotes.ts";
import { loadStrategy, ownStrategy } from "./loader.ts";
import { plainView } from "./plain-view.ts";

export { contractsOf, usdOf } from "../../domain/rounding.ts";

/**
 * Loads the strategy in `file` with the parameters as written in a configuration, and returns its turns: all calls share one memory. Throws
 * StrategyFault for what `quoin check` refuses; a turn throws QuoteFault.
 */
export async function startStrategy(file: URL, params: unknown): Promise<(view: View) => Quotes> {
  const { name, source } = ownStrategy(fileURLToPath(file), (path) => systemFiles.read(fileURLToPath(path)));
  const running = (await loadStrategy(name, params, source)).start();
  return (view) => checkedQuotes(() => running.quote(view));
}

/** How a market differs from a normal one. */
export type Unusual = {
  /** Middle of the others' best bid and ask, which are 20 cents apart, and the oracle price. Default 200; null: unknown. */
  readonly midUsd?: number | null;
  /** Our position in contracts, negative when short. Default 0; null: unknown. */
  readonly position?: number | null;
  /** Basis points per square root second. Default 0.5; null: not estimated yet. */
  readonly volatilityBps?: number | null;
};

/**
 * A market where all is known and well, except as given: others offer 5 contracts on each side, and nothing of ours rests. Frozen, as in
 * the daemon.
 */
export function marketView({ midUsd = 200, position = 0, volatilityBps = 0.5 }: Unusual = {}): View {
  const { market, book, oracle, signals } = plainView;
  return frozen<View>({
    ...plainView,
    market: midUsd === null ? absent : market,
    book: midUsd === null ? absent : changed(book, { bids: [offer(midUsd - 0.1)], asks: [offer(midUsd + 0.1)] }),
    oracle: midUsd === null ? absent : changed(oracle, { price: priceFromUsd(midUsd, CENT, "buy") }),
    position: position === null ? absent : positionOf(signedSize(position)),
    signals: { ...signals, volatilityBps },
  });
}

const CENT = price(1_000_000n);
const OFFERED = size(5_000_000n);

const changed = <T>(fact: Fact<T>, to: Partial<T>): Fact<T> =>
  fact.state === "absent" ? fact : { ...fact, value: { ...fact.value, ...to } };
const offer = (usd: number) => ({ price: priceFromUsd(usd, CENT, "buy"), size: OFFERED, orderCount: 1 });
const signedSize = (contracts: number): Size =>
  size(contracts < 0 ? -sizeFromContracts(-contracts) : sizeFromContracts(contracts));
const ENTRY = price(20_000_000_000n);
const positionOf = (inventory: Size): View["position"] =>
  changed(plainView.position, {
    inventory,
    low: inventory,
    high: inventory,
    ...(inventory !== 0n && { entryPrice: ENTRY }),
  });

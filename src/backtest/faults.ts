// Strategy faults in a run: texts from the bot's log, which has each at most once a minute, and the number of turns from its metric. Also
// the command's summary of them, each once for all runs.

import type { Metrics } from "../bot/telemetry/metrics.ts";
import { printable } from "../kernel/printable.ts";
import { countText } from "../kernel/text.ts";
import type { MarketLine, Outcome, RunLine } from "./outcome.ts";
import { setText } from "./table.ts";

/** Different faults kept per market of a run, and printed per strategy, because an error text may contain a changing number. */
const WORDS_MAX = 3;
/** Most settings named. */
const SETTINGS_MAX = 3;

export class FaultRecord {
  readonly #words = new Map<string, Set<string>>();

  /** Takes a line of the bot's log, as JSON. */
  readonly line = (text: string): void => {
    if (!text.includes('"strategy.fault"')) return;
    const { event, account, market, at, err } = JSON.parse(text);
    if (event !== "strategy.fault") return;
    const name = `${account} ${market}`;
    const words = this.#words.get(name) ?? new Set();
    this.#words.set(name, words);
    if (words.size < WORDS_MAX) words.add(`${err.message}${at === null ? "" : ` at ${at}`}`);
  };

  /** The outcome with faults added to its markets. */
  addedTo({ line, ...rest }: Outcome, { strategyFaults }: Pick<Metrics, "strategyFaults">): Outcome {
    const turns = new Map(
      [...strategyFaults.text().matchAll(/account="(\d+)",market="(\d+)"\} (\d+)/g)].map(
        ([, account, market, count]) => [`${account} ${market}`, Number(count)],
      ),
    );
    const markets = line.markets.map((market): MarketLine => {
      const name = `${market.accountId} ${market.marketId}`;
      const words = this.#words.get(name);
      return words === undefined ? market : { ...market, faults: { turns: turns.get(name) ?? 0, words: [...words] } };
    });
    return { ...rest, line: { ...line, markets } };
  }
}

/** Whether a failed strategy had no order at all. */
const isSilent = ({ faults, quoteUptime, actions, fills }: MarketLine): boolean =>
  faults !== undefined && quoteUptime === 0 && actions.place === 0 && fills === 0;

/**
 * The command's summary of the faults in its runs, one sentence each. `neverQuoted`: with some setting a strategy had no order in any run.
 */
export function faultsOf(runs: readonly RunLine[]): {
  readonly sentences: readonly string[];
  readonly neverQuoted: boolean;
} {
  const markets = runs.flatMap(({ set, markets: of }) => of.map((market) => ({ set: setText(set), market })));
  const byStrategy = [...Map.groupBy(markets, ({ market }) => market.strategy)].filter(([, of]) =>
    of.some(({ market }) => market.faults !== undefined),
  );
  let neverQuoted = false;
  const sentences = byStrategy.flatMap(([strategy, of]) => {
    const words = [...new Set(of.flatMap(({ market }) => market.faults?.words ?? []))];
    const turns = of.reduce((sum, { market }) => sum + (market.faults?.turns ?? 0), 0);
    const silent = [...Map.groupBy(of, ({ set }) => set)].filter(([, some]) =>
      some.every(({ market }) => isSilent(market)),
    );
    if (silent.length > 0) neverQuoted = true;
    const named = silent.flatMap(([set]) => (set === "" ? [] : [set]));
    const settings =
      named.length > SETTINGS_MAX
        ? ` with ${named.length} of the settings`
        : named.length === 0
          ? ""
          : ` with ${named.join(" or ")}`;
    const others =
      words.length > WORDS_MAX
        ? [`strategy ${strategy} has ${countText(words.length - WORDS_MAX, "further fault")}`]
        : [];
    return [
      ...words.slice(0, WORDS_MAX).map((each) => printable(`strategy ${strategy} ${each}`)),
      ...others,
      `strategy ${strategy} had no quotes in ${countText(turns, "turn")}, because of ${words.length === 1 ? "this fault" : "these faults"}${silent.length === 0 ? "" : `; after the warm-up it never quoted${settings}: its figures say nothing`}`,
    ];
  });
  return { sentences, neverQuoted };
}

// Runs trial turns of each strategy before a daemon uses it: flat, long and short, on views in which nothing else prevents quotes. Finds a
// forgotten `return`, a promise or a NaN before a market goes unquoted.

import { sourcePlace } from "../../kernel/errors.ts";
import { checkedQuotes, QuoteFault } from "../strategy/checked-quotes.ts";
import type { LoadedStrategy } from "../strategy/loader.ts";
import { plainView } from "../strategy/plain-view.ts";
import { marketView } from "../strategy/testing.ts";
import type { BotConfig } from "./config.ts";
import type { Conflict } from "./footprint.ts";

/** Supervises the trials: that each ends, and what it touched. Implemented by the thread that runs them. */
export type TrialModules = {
  /** Called before each trial with the strategy's place, the line of its `quote`, and the trial's description. */
  readonly trying: (path: readonly PropertyKey[], quoteAt: string | null, triedOn: string) => void;
  readonly takeAmbientUse: () => string | null;
};

/** A warning if the strategy never quotes and gives a reason: it may be intended to wait. */
export type TrialFinding = Conflict & { readonly isWarning: boolean };

const trials = [
  ["a view in which all is well", plainView],
  ["a view in which all is well, with a position of 1 contract", marketView({ position: 1 })],
  ["a view in which all is well, with a position of -1 contract", marketView({ position: -1 })],
] as const;

/** Strategies that fail or quote nothing in their trials, each with its place in the configuration and the line of its own file. */
export function* trialFindings(
  { accounts }: Pick<BotConfig, "accounts">,
  { trying, takeAmbientUse }: TrialModules,
): Generator<TrialFinding> {
  for (const [account, { accountId, markets }] of accounts.entries())
    for (const [position, { marketId, strategy: traded, shadow }] of markets.entries())
      for (const [name, strategy] of [["strategy", traded] as const, ["shadow", shadow?.strategy] as const]) {
        if (strategy === undefined) continue;
        const path = ["accounts", account, "markets", position, ...(name === "shadow" ? [name, "strategy"] : [name])];
        const found = tried(
          strategy,
          { accountId, marketId },
          (triedOn) => trying(path, strategy.quoteAt, triedOn),
          takeAmbientUse,
        );
        if (found !== null) yield { path, ...found };
      }
}

type Place = Pick<typeof plainView, "accountId" | "marketId">;

/** Null: it quotes, or its reasons to wait depend on the position, as for one that only closes. A fault ends the trials. */
function tried(
  strategy: LoadedStrategy,
  at: Place,
  trying: (triedOn: string) => void,
  takeAmbientUse: TrialModules["takeAmbientUse"],
): Omit<TrialFinding, "path"> | null {
  const reasons: (string | null)[] = [];
  for (const [triedOn, view] of trials) {
    trying(triedOn);
    const turn = turnOf(strategy, { ...view, ...at });
    const fault = takeAmbientUse() ?? turn.fault;
    if (fault !== null) return { message: `${strategy.name} ${fault}, tried on ${triedOn}`, isWarning: false };
    reasons.push(turn.reason);
  }
  const [reason = null] = reasons;
  if (reason === null || reasons.some((other) => other !== reason)) return null;
  const words = `quotes nothing, "${reason}"`;
  return {
    message: `${strategy.name} ${withPlace(words, strategy.quoteAt)}, tried on ${trials[0][0]}, flat, long and short`,
    isWarning: true,
  };
}

/** `reason`: why it quotes nothing; null: it quotes, or has a fault. */
type TrialTurn = { readonly fault: string | null; readonly reason: string | null };

function turnOf({ start, quoteAt }: LoadedStrategy, view: typeof plainView): TrialTurn {
  try {
    const running = start();
    const { quotes, reason } = checkedQuotes(() => running.quote(view));
    if (quotes.some(({ price, size }) => price > 0n && size > 0n)) return { fault: null, reason: null };
    if ((reason ?? "").trim() !== "") return { fault: null, reason };
    return { fault: withPlace("returned no quotes, and no reason why", quoteAt), reason: null };
  } catch (error) {
    if (!(error instanceof QuoteFault)) throw error;
    return { fault: withPlace(error.message, sourcePlace(error.cause) ?? quoteAt), reason: null };
  }
}

const withPlace = (words: string, place: string | null): string => (place === null ? words : `${words} at ${place}`);

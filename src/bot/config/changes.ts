// Differences between two configurations of a market or an account, setting by setting, and which of them wait for an operator's signal: a
// looser limit may be a typing error, a tighter one must not wait.

import { isDeepStrictEqual } from "node:util";
import { SIZE_SCALE } from "../../domain/units.ts";
import { formatDecimal } from "../../kernel/decimal.ts";
import type { Tightened } from "../risk/limits/limits.ts";
import { tightenAccount, tightenMarket } from "../risk/limits/limits.ts";
import type { BotConfig, QuotedAccount, QuotedMarket, ShadowConfig } from "./config.ts";
import { marketConflicts } from "./footprint.ts";
import { marketHash } from "./market-hash.ts";

/** One setting; contracts and USDC as decimals. */
export type Change = { readonly setting: string; readonly from: string; readonly to: string };

type Changing = Pick<
  QuotedMarket,
  "requoteDepths" | "queueTicks" | "limits" | "premiumBook" | "printSchedule" | "signals"
> & {
  readonly strategy: Pick<QuotedMarket["strategy"], "name" | "params">;
};

const requotingOf = ({ requoteDepths, queueTicks }: Changing) => ({ requoteDepths, queueTicks });

/** Also empty if only the strategy's code differs. Parameters of two different strategies are not compared. */
export function marketChanges(running: Changing, next: Changing): readonly Change[] {
  const { name } = next.strategy;
  const isSame = running.strategy.name === name;
  return [
    ...(isSame
      ? changesOf(running.strategy.params, next.strategy.params)
      : changesOf({ strategy: running.strategy.name }, { strategy: name })),
    ...changesOf(requotingOf(running), requotingOf(next)),
    ...changesOf(running.limits, next.limits),
    ...changesOf({ printSchedule: running.printSchedule }, { printSchedule: next.printSchedule }),
    ...changesOf({ premiumBook: running.premiumBook }, { premiumBook: next.premiumBook }),
    ...changesOf(signalsOf(running), signalsOf(next)),
  ];
}

const signalsOf = ({ signals }: Changing) => ({
  signals: signals.length === 0 ? undefined : signals.map(({ name }) => name),
  ...Object.fromEntries(signals.map(({ name, parts }) => [`signals.${name}`, parts])),
});

export const changeText = ({ setting, from, to }: Change): string => `${setting} ${from} -> ${to}`;

export function changesText(running: Changing, next: Changing): string {
  const changes = marketChanges(running, next);
  return changes.length > 0 ? changes.map(changeText).join(", ") : "the strategy's code";
}

/** A shadow is separate: a change of it does not change the trading bot. */
export function shadowChanges(running: ShadowConfig | null, next: ShadowConfig | null): readonly Change[] {
  if (running === null || next === null)
    return changesOf({ shadow: running?.strategy.name }, { shadow: next?.strategy.name });
  return changesOf(shadowFields(running), shadowFields(next)).map((change) => ({
    ...change,
    setting: `shadow.${change.setting}`,
  }));
}

const shadowFields = ({ strategy: { name, params }, ...paper }: ShadowConfig) => ({ strategy: name, params, ...paper });

/** Parts of the file whose change needs a restart. */
export function restartParts(running: BotConfig, wanted: BotConfig): readonly string[] {
  const shape = ({ venue, server, ledger, recording, webhook, accounts }: BotConfig) => ({
    venue: [
      venue.chainId,
      venue.tooManyRequestsMeans,
      venue.landingBoundMs,
      venue.readLagMaxMs,
      venue.dialect,
      ...(venue.kind === "remote" ? [venue.validatorUrl, venue.wsUrl, venue.restUrl] : []),
    ],
    server,
    webhook,
    recording,
    ledger: [ledger.file, ledger.archiveAfterDays, ledger.maxBytes],
    "account ids": accounts.map(({ accountId }) => `${accountId}`),
  });
  const [before, after] = [shape(running), shape(wanted)];
  const parts = ["venue", "server", "webhook", "recording", "ledger", "account ids"] as const;
  return parts.filter((part) => JSON.stringify(before[part]) !== JSON.stringify(after[part]));
}

/** Fields that differ, in the order in which they are written. */
export function changesOf(before: unknown, after: unknown): readonly Change[] {
  const [was, is] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((setting) => {
    const [from, to] = [valueText(was.get(setting)), valueText(is.get(setting))];
    return from === to ? [] : [{ setting, from, to }];
  });
}

/** A part of a configuration that stays as it is, and the change that waits. */
export type Waiting = { readonly what: string; readonly change: string };

type Applied<T> = { readonly now: T; readonly waits: readonly Waiting[] };

/** Which changes wait: limits, by name, if they become looser, and any change of a premium book except ending it. */
export type Held = { readonly isLimitHeld: (limit: string) => boolean; readonly isPremiumHeld: boolean };

/** For a file that was saved without a signal. */
export const everythingHeld: Held = { isLimitHeld: () => true, isPremiumHeld: true };

/** The part of the wanted market that takes effect now; equal to `wanted` if nothing waits. */
export function marketNow(
  running: QuotedMarket,
  wanted: QuotedMarket,
  { isLimitHeld, isPremiumHeld }: Held,
): Applied<QuotedMarket> {
  const of = `market ${running.marketId}`;
  const limits = limitsNow(running.limits, wanted.limits, tightenMarket, of, isLimitHeld);
  const strategy = strategyWithin(limits.now, running, wanted);
  const premium = isPremiumHeld ? premiumWithin(running, wanted) : { now: wanted.premiumBook, waits: [] };
  const waits = [...limits.waits, ...strategy.waits, ...premium.waits];
  if (waits.length === 0) return { now: wanted, waits };
  const now = { ...wanted, limits: limits.now, strategy: strategy.now, premiumBook: premium.now };
  // Hash of what runs: with the file's hash, the later signal would find nothing to change.
  return { now: { ...now, hash: marketHash(now) }, waits };
}

export const accountLimitsNow = (
  { accountId, limits }: QuotedAccount,
  wanted: QuotedAccount,
  isHeld: Held["isLimitHeld"],
): Applied<QuotedAccount["limits"]> => limitsNow(limits, wanted.limits, tightenAccount, `account ${accountId}`, isHeld);

function limitsNow<L extends object>(
  running: L,
  wanted: L,
  tighten: (running: L, wanted: L) => Tightened<L>,
  of: string,
  isHeld: Held["isLimitHeld"],
): Applied<L> {
  const held = tighten(running, wanted).looser.filter((name) => isHeld(String(name)));
  if (held.length === 0) return { now: wanted, waits: [] };
  const now = { ...wanted, ...Object.fromEntries(held.map((name) => [name, running[name]])) };
  return { now, waits: [{ what: `${held.join(", ")} of ${of}`, change: "a looser limit" }] };
}

/** Parameters that need a limit which waits for the signal wait too. */
function strategyWithin(
  limits: QuotedMarket["limits"],
  running: QuotedMarket,
  wanted: QuotedMarket,
): Applied<QuotedMarket["strategy"]> {
  const [conflict] = limits === wanted.limits ? [] : marketConflicts({ strategy: wanted.strategy, limits });
  if (conflict === undefined) return { now: wanted.strategy, waits: [] };
  const what = `strategy and params of market ${running.marketId}`;
  const change = `${conflict.path.join(".")} ${conflict.message}: what needs a looser limit`;
  return { now: running.strategy, waits: [{ what, change }] };
}

/** Any change of a premium book except ending it may allow a larger position or loss. */
function premiumWithin(running: QuotedMarket, { premiumBook }: QuotedMarket): Applied<QuotedMarket["premiumBook"]> {
  if (premiumBook === null || isDeepStrictEqual(premiumBook, running.premiumBook))
    return { now: premiumBook, waits: [] };
  const what = `premiumBook of market ${running.marketId}`;
  return { now: running.premiumBook, waits: [{ what, change: "another premium book" }] };
}

const fieldsOf = (value: unknown): ReadonlyMap<string, unknown> =>
  new Map(typeof value === "object" && value !== null ? Object.entries(value) : []);

/** Contracts and USDC, the only exact values here, have the same number of decimals. */
function valueText(value: unknown): string {
  if (value === undefined || value === null) return "unset";
  if (typeof value === "bigint") return formatDecimal(value, SIZE_SCALE);
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  return `{ ${[...fieldsOf(value)].map(([key, of]) => `${key}: ${valueText(of)}`).join(", ")} }`;
}

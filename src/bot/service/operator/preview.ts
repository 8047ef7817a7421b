// What another configuration would do now: its strategies quote on the view of the last turn, plan and guard answer, and nothing is sent or
// changed. A strategy starts with an empty memory, or with a copy of its own, as it would there.

import { isAbsolute } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Command } from "../../../domain/command.ts";
import type { TrackedOrder } from "../../../domain/order.ts";
import { type AccountId, type MarketId, type OrderId, SIZE_SCALE, type Side } from "../../../domain/units.ts";
import { lastKnown } from "../../../domain/view.ts";
import { formatDecimal } from "../../../kernel/decimal.ts";
import { stringifyQuoted } from "../../../kernel/json.ts";
import { ConfigError, formatFault } from "../../../kernel/yaml/fault.ts";
import {
  accountLimitsNow,
  type Change,
  changesOf,
  changeText,
  everythingHeld,
  marketChanges,
  marketNow,
  restartParts,
  shadowChanges,
} from "../../config/changes.ts";
import type { BotConfig, QuotedAccount, QuotedMarket } from "../../config/config.ts";
import type { AccountDesk } from "../../decider/desks/account-desk.ts";
import { takeTurn } from "../../decider/turns/turn.ts";
import type { LoadedStrategy, RunningStrategy } from "../../strategy/loader.ts";
import type { Supervise } from "../../strategy/supervised.ts";
import { type ParamsRequest, readParamsRequest } from "./params.ts";
import { fieldsOf, malformed, type OperatorRefusal } from "./trading-state.ts";

export const previewChanges = ["none", "params", "strategy", "limits", "added", "removed"] as const;

/** `waits`: for SIGHUP. */
export type PreviewedChange = Change & { readonly waits: boolean };

/** One market of one account. Counts are of orders; `worstCase`: the position, contracts, signed, if all orders of a side were filled. */
export type MarketPreview = {
  readonly accountId: string;
  readonly marketId: MarketId;
  /** The most important change: a strategy before its parameters, these before limits. */
  readonly change: (typeof previewChanges)[number];
  /** Each setting that differs, the shadow included; empty where only the strategy's code does, or the market is added or removed. */
  readonly changes: readonly PreviewedChange[];
  readonly keeps: number;
  readonly cancels: number;
  readonly modifies: number;
  readonly places: number;
  readonly worstCase: { readonly buy: string; readonly sell: string };
};

type Parts = {
  readonly desks: ReadonlyMap<AccountId, AccountDesk>;
  readonly supervise: Supervise | undefined;
};

/**
 * `file`: where the daemon finds the other configuration; null: its own file, as saved now. `change`: what POST /params would do to the
 * running one.
 */
export type PreviewRequest = { readonly file: string | null } | { readonly change: ParamsRequest };

/** Rejects with ConfigError. */
export type ReadOther = (file: string) => Promise<BotConfig>;

export function readPreviewRequest(body: string): PreviewRequest | OperatorRefusal {
  const { file, ...unknown } = fieldsOf(body) ?? {};
  if (file === undefined && unknown.saved === true && Object.keys(unknown).length === 1) return { file: null };
  if (file === undefined && "account" in unknown) {
    const change = readParamsRequest(JSON.stringify({ reason: "a preview", ...unknown }));
    return "kind" in change ? change : { change };
  }
  if (typeof file !== "string" || !isAbsolute(file) || Object.keys(unknown).length > 0)
    return malformed('the body must be {"file":"/absolute/path/of/a/configuration.yaml"} or {"saved":true}');
  return { file };
}

/** Returns a refusal where the file is no configuration that could run here. */
export async function otherConfig(
  running: BotConfig,
  read: () => Promise<BotConfig>,
): Promise<BotConfig | OperatorRefusal> {
  try {
    const wanted = await read();
    if (wanted.venue.chainId === running.venue.chainId) return wanted;
    return { kind: "elsewhere", why: `this daemon trades on ${running.venue.chainId}` };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return malformed(error.faults.map(formatFault).join("; "));
  }
}

/** `beside`: differences outside the markets, a sentence each. */
export type Preview = { readonly markets: readonly MarketPreview[]; readonly beside: readonly string[] };

export const wholePreview = (running: BotConfig, wanted: BotConfig, parts: Parts): Preview => ({
  markets: previewOf(running, wanted, parts),
  beside: [
    ...running.accounts.flatMap((account) => accountSentences(account, wanted)),
    // The file's server may differ from where the daemon is: the daemon may have chosen its port.
    ...restartParts(running, wanted).flatMap((part) =>
      part === "server" ? [] : `a change of ${part} needs a restart`,
    ),
  ],
});

/** Returns their differences, a sentence per market and account; those that wait for SIGHUP say so. */
export const differencesOf = (running: BotConfig, wanted: BotConfig): readonly string[] =>
  running.accounts.flatMap((account) => {
    const next = wanted.accounts.find(({ accountId }) => accountId === account.accountId);
    const markets = account.markets.flatMap((market) => {
      const to = next?.markets.find(({ marketId }) => marketId === market.marketId);
      const changes = to === undefined ? [] : changesBetween(market, to).map(previewedText);
      return changes.length === 0
        ? []
        : [`market ${market.marketId} of account ${account.accountId}: ${changes.join("; ")}`];
    });
    return [...accountSentences(account, wanted), ...markets];
  });

function accountSentences(running: QuotedAccount, { accounts }: BotConfig): readonly string[] {
  const { accountId, limits } = running;
  const wanted = accounts.find((account) => account.accountId === accountId);
  if (wanted === undefined) return [];
  const { now } = accountLimitsNow(running, wanted, everythingHeld.isLimitHeld);
  const changes = waiting(changesOf(limits, wanted.limits), changesOf(limits, now));
  return changes.length === 0 ? [] : [`account ${accountId}: ${changes.map(previewedText).join("; ")}`];
}

export const previewedText = (change: PreviewedChange): string =>
  `${changeText(change)}${change.waits ? ", waits for SIGHUP" : ""}`;

/** `now`: those that take effect without a signal. */
const waiting = (changes: readonly Change[], now: readonly Change[]): readonly PreviewedChange[] =>
  changes.map((change) => ({ ...change, waits: !now.some((other) => isDeepStrictEqual(other, change)) }));

/** Returns every market of either, in the order of the wanted ones; an added one is unknown yet, and all its counts are 0. */
export function previewOf(running: BotConfig, wanted: BotConfig, parts: Parts): readonly MarketPreview[] {
  const previews: MarketPreview[] = [];
  for (const account of allOf(running.accounts, wanted.accounts, ({ accountId }) => accountId)) {
    const [before, after] = [running, wanted].map(({ accounts }) =>
      accounts.find(({ accountId }) => accountId === account.accountId),
    );
    for (const { marketId } of allOf(before?.markets ?? [], after?.markets ?? [], (market) => market.marketId)) {
      const [from, to] = [before, after].map((of) => of?.markets.find((market) => market.marketId === marketId));
      previews.push(previewMarket(account, after, marketId, from, to, parts));
    }
  }
  return previews;
}

/** The wanted ones, then those that are only running. */
const allOf = <T, Id>(running: readonly T[], wanted: readonly T[], idOf: (row: T) => Id): readonly T[] => [
  ...wanted,
  ...running.filter((row) => !wanted.some((other) => idOf(other) === idOf(row))),
];

function previewMarket(
  { accountId }: QuotedAccount,
  account: QuotedAccount | undefined,
  marketId: MarketId,
  from: QuotedMarket | undefined,
  to: QuotedMarket | undefined,
  { desks, supervise = (start) => start() }: Parts,
): MarketPreview {
  const changes = from === undefined || to === undefined ? [] : changesBetween(from, to);
  const named = { accountId: `${accountId}`, marketId, change: changeOf(from, to), changes };
  const desk = desks.get(accountId)?.markets.get(marketId);
  const last = desk?.last ?? null;
  if (desk === undefined || last === null) return { ...named, ...countsOf([], []), ...worstCaseOf(0n, 0n, [], []) };
  const { view, state, modifies } = last;
  const own = view.orders.filter(({ isForeign }) => !isForeign);
  const position = lastKnown(view.position) ?? { low: 0n, high: 0n };
  const canceled: readonly Command[] = own.flatMap(({ orderId }) =>
    orderId === null ? [] : [{ kind: "cancel", accountId, marketId, orderId }],
  );
  let commands = canceled;
  if (to !== undefined && account !== undefined) {
    const isNew = named.change === "strategy" || named.change === "params";
    const strategy = supervise(
      () => (isNew ? to.strategy.start() : goingOn(to.strategy, desk.strategy.running)),
      () => {},
    );
    const limits = { market: to.limits, account: account.limits };
    const { requoteDepths, queueTicks } = to;
    const quoted = { requoteDepths, queueTicks, usualHalfSpreadBps: desk.halfSpreadBps, modifies };
    commands = takeTurn({ view, state, limits, ...quoted, strategy }).verdict.approved;
  }
  return { ...named, ...countsOf(own, commands), ...worstCaseOf(position.low, position.high, view.orders, commands) };
}

const changesBetween = (from: QuotedMarket, to: QuotedMarket): readonly PreviewedChange[] => [
  ...waiting(marketChanges(from, to), marketChanges(from, marketNow(from, to, everythingHeld).now)),
  ...shadowChanges(from.shadow, to.shadow).map((change) => ({ ...change, waits: false })),
];

/** A copy: the running strategy must not remember a turn that did not happen. */
function goingOn(strategy: LoadedStrategy, { memory }: RunningStrategy): RunningStrategy {
  try {
    return strategy.resume(structuredClone(memory));
  } catch {
    // Its memory is not plain data.
    return strategy.start();
  }
}

function changeOf(from: QuotedMarket | undefined, to: QuotedMarket | undefined): MarketPreview["change"] {
  if (from === undefined) return "added";
  if (to === undefined) return "removed";
  if (from.hash === to.hash) return "none";
  const [before, after] = [from.strategy, to.strategy];
  if (before.name !== after.name || before.version !== after.version) return "strategy";
  // Settings beside the parameters, such as the premium book, count as parameters.
  const areLimitsAlone =
    stringifyQuoted(before.params) === stringifyQuoted(after.params) &&
    stringifyQuoted(from.limits) !== stringifyQuoted(to.limits);
  return areLimitsAlone ? "limits" : "params";
}

function countsOf(own: readonly TrackedOrder[], commands: readonly Command[]) {
  const of = (kind: Command["kind"]): number => commands.filter((command) => command.kind === kind).length;
  const [cancels, modifies, places] = [of("cancel"), of("modify"), of("place")];
  return { keeps: Math.max(0, own.length - cancels - modifies), cancels, modifies, places };
}

/** What rests once the commands have landed, added to the worst case of the position. */
function worstCaseOf(
  low: bigint,
  high: bigint,
  orders: readonly TrackedOrder[],
  commands: readonly Command[],
): Pick<MarketPreview, "worstCase"> {
  const canceled = new Set<OrderId | null>();
  const sizes = new Map<OrderId, bigint>();
  let [buys, sells] = [0n, 0n];
  const add = (side: Side, contracts: bigint): void => {
    if (side === "buy") buys += contracts;
    else sells += contracts;
  };
  for (const command of commands) {
    if (command.kind === "cancel") canceled.add(command.orderId);
    else if (command.kind === "modify" && command.newSize !== null) sizes.set(command.orderId, command.newSize);
    else if (command.kind === "place") add(command.side, command.size);
  }
  for (const { orderId, side, size, remainingSize } of orders) {
    if (orderId !== null && canceled.has(orderId)) continue;
    const whole = orderId === null ? undefined : sizes.get(orderId);
    add(side, whole === undefined ? remainingSize : whole - (size - remainingSize));
  }
  return { worstCase: { buy: contractsText(high + buys), sell: contractsText(low - sells) } };
}

const contractsText = (contracts: bigint): string => formatDecimal(contracts, SIZE_SCALE);

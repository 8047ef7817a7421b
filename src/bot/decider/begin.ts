// What decides, wired: desks, state and the loop. It hears of the outside by entries alone, and calls out through what it is given here: so a
// replay is the same core with a recording around it.

import type { EarlierHolder } from "../../domain/allowance.ts";
import { type Dialect, unknownDialect } from "../../domain/dialect.ts";
import type { AccountId } from "../../domain/units.ts";
import type { Clock } from "../../kernel/clock.ts";
import type { Prng } from "../../kernel/prng.ts";
import { type BotState, createBotState } from "../account/account-state.ts";
import type { QuotedAccount, VenueConfig } from "../config/config.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { LedgerReads } from "../ledger/store.ts";
import { exactText } from "../recording/exact-text.ts";
import type { Entries } from "../service/loop/entries.ts";
import type { Supervise } from "../strategy/supervised.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { AccountDesk } from "./desks/account-desk.ts";
import { makeDesks, type StartCauses } from "./desks/desks.ts";
import { type EffectModules, effectHandler } from "./effects.ts";
import { faultHandlers } from "./faults.ts";
import { ForeignActivity } from "./foreign-activity.ts";
import { StallDetector } from "./stall-detector.ts";
import { type LoopModules, TradingLoop } from "./step.ts";

export type CoreOptions = Pick<VenueConfig, "chainId" | "readLagMaxMs" | "landingBoundMs"> & {
  readonly accounts: readonly QuotedAccount[];
  readonly causes: StartCauses;
  /** Of the accounts' agents. */
  readonly publicKeys: ReadonlyMap<AccountId, string>;
  readonly earlierHolders: readonly EarlierHolder[];
  /** What the configuration says of the exchange's dialect: it counts before what was learned. */
  readonly dialect?: Dialect;
};

/** What the core calls out to. */
export type Outside = Pick<EffectModules, "cancel" | "read" | "shown" | "reconnect" | "resubscribe" | "startAgain"> &
  Pick<EffectModules["resyncs"], "wanted" | "filled"> &
  Pick<LoopModules, "submit" | "isSending" | "nonceRefusal" | "onSlept"> & {
    /** Told of each fault of a strategy, once it is said. */
    readonly strategyFault: LoopModules["onStrategyFault"];
    /** Another node of the fleet may hold the account by now. */
    readonly isElsewhere: () => boolean;
  };

export type CoreModules = {
  /** The machine's, for what is measured. */
  readonly clock: Clock;
  readonly entries: Entries;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly prng: Prng;
  readonly supervise?: Supervise | undefined;
  /** Read through `recordedReads`. */
  readonly ledger: Ledger;
  readonly outside: Outside;
};

export type Core = {
  readonly desks: Map<AccountId, AccountDesk>;
  readonly state: BotState;
  readonly loop: TradingLoop;
  readonly foreignActivity: ForeignActivity;
};

/** The tracker learns of this many orders of earlier runs, the newest. */
const REMEMBERED_MAX = 20_000;

/** To be called as the beginning of the entries. Throws what `makeDesks` throws. */
export function makeCore(options: CoreOptions, modules: CoreModules): Core {
  const { entries, ledger, log, metrics, outside } = modules;
  const { clock } = entries;
  const desks = makeDesks(options.accounts, options.causes, { ...modules, clock, chainId: options.chainId });
  const state = stateOf(desks, options, ledger);
  const foreignActivity = foreignActivityOf(options, { ...modules, state, desks });
  const loop = new TradingLoop({
    state,
    desks,
    ledger,
    clock: modules.clock,
    entries,
    metrics,
    stalls: new StallDetector(),
    nonceRefusal: outside.nonceRefusal,
    submit: outside.submit,
    isSending: outside.isSending,
    onSlept: () => entries.outside(outside.onSlept),
    onEffect: effectHandler({
      state,
      desks,
      foreignActivity,
      clock,
      log,
      cancel: (order) => entries.outside(() => outside.cancel(order)),
      resyncs: {
        wanted: (effect) => entries.outside(() => outside.wanted(effect)),
        filled: (effect) => entries.outside(() => outside.filled(effect)),
      },
      view: (account, market) => loop.view(account, market),
      read: () => entries.outside(outside.read),
      shown: (account) => entries.outside(() => outside.shown(account)),
      reconnect: () => entries.outside(outside.reconnect),
      resubscribe: (market) => entries.outside(() => outside.resubscribe(market)),
      startAgain: () => entries.outside(outside.startAgain),
      later: (record) => loop.later(record),
    }),
    ...faultHandlers({
      clock,
      log,
      strategyFault: (market, fault) => entries.outside(() => outside.strategyFault(market, fault)),
    }),
  });
  return { desks, state, loop, foreignActivity };
}

/** Knows from the ledger which orders and fills of earlier runs are ours, and what they left us holding. */
const stateOf = (
  desks: Core["desks"],
  { publicKeys, earlierHolders, readLagMaxMs, dialect = unknownDialect }: CoreOptions,
  ledger: Ledger,
): BotState =>
  createBotState({
    readLagMaxMs,
    markets: [...desks.values()].flatMap(({ markets }) => [...markets.keys()]),
    accounts: [...desks.values()].map(({ accountId, quoted, book, markets }) => ({
      accountId,
      queueModel: quoted.paper?.queueModel ?? null,
      book,
      agentPubkey: publicKeys.get(accountId) ?? "",
      createdAtMs: ledger.read.chain(accountId)?.createdAtMs || null,
      funded: new Map([...markets].flatMap(([id, { kept }]) => (kept?.funded ? [[id, kept.funded]] : []))),
      knownOrders: ledger.read.knownOrders(accountId, REMEMBERED_MAX).map(({ orderId }) => orderId),
      earlierHolders,
      dialect: dialectOf(dialect, ledger.read.dialect(accountId)),
    })),
  });

const dialectOf = (said: Dialect, learned: Partial<Dialect>): Dialect => ({
  ...unknownDialect,
  ...learned,
  ...Object.fromEntries(Object.entries(said).filter(([, word]) => word !== null)),
});

/** Knows which cancels of earlier runs, and of other nodes, may still land. */
function foreignActivityOf(
  { landingBoundMs, earlierHolders }: CoreOptions,
  { state, desks, entries, log, ledger, outside }: CoreModules & Pick<Core, "state" | "desks">,
): ForeignActivity {
  const { clock } = entries;
  const isElsewhere = (): boolean => entries.told("elsewhere", outside.isElsewhere);
  const foreignActivity = new ForeignActivity({ state, desks, clock, log, landingBoundMs, isElsewhere });
  const sinceMs = clock.wallMs() - landingBoundMs;
  for (const account of desks.keys()) {
    foreignActivity.recall(ledger.read.unansweredIntents(account, sinceMs));
    foreignActivity.expect(account, earlierHolders);
  }
  return foreignActivity;
}

/** Reads for reports and export: the core decides nothing on them. */
const NOT_HEARD: ReadonlySet<string> = new Set<keyof LedgerReads>([
  "timeline",
  "marks",
  "hours",
  "trail",
  "rows",
  "chainRows",
]);

/** What the core reads of the ledger, heard from outside. */
export function recordedReads(reads: LedgerReads, entries: Entries): LedgerReads {
  const heard = Object.entries(reads).map(([name, read]) => [
    name,
    NOT_HEARD.has(name)
      ? read
      : (...args: readonly unknown[]) =>
          entries.heard(heardName(name, args), () => (read as (...of: readonly unknown[]) => unknown)(...args)),
  ]);
  return Object.fromEntries(heard);
}

export const heardName = (name: string, args: readonly unknown[]): string => `ledger.${name}${exactText(args)}`;

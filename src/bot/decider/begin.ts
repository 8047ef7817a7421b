// The machine's starting point: the configuration, and what the ledger knows of earlier runs.

import type { EarlierHolder } from "../../domain/allowance.ts";
import { type Dialect, unknownDialect } from "../../domain/dialect.ts";
import type { AccountId } from "../../domain/units.ts";
import { type BotState, createBotState } from "../account/account-state.ts";
import type { QuotedAccount, VenueConfig } from "../config/config.ts";
import type { LedgerReads } from "../ledger/store.ts";
import { followSources } from "../market/outside.ts";
import { ForeignActivity, type ForeignActivityModules } from "./acting/foreign-activity.ts";
import type { AccountDesk } from "./desks/account-desk.ts";
import type { StartCauses } from "./desks/desks.ts";

export type BeginOptions = Pick<VenueConfig, "chainId" | "readLagMaxMs" | "landingBoundMs"> & {
  readonly accounts: readonly QuotedAccount[];
  readonly causes: StartCauses;
  readonly publicKeys: ReadonlyMap<AccountId, string>;
  readonly earlierHolders: readonly EarlierHolder[];
  /** A watchdog cancels when it hears nothing for this long from a daemon that can act. */
  readonly watchdogSilenceMs: number;
  /** The exchange's dialect as configured; it overrides what was learned. */
  readonly dialect?: Dialect;
  /** False in replay: submitted orders go nowhere, so no side is judged by whether its orders come to rest. */
  readonly isSending: boolean;
};

type Desks = ReadonlyMap<AccountId, AccountDesk>;

/** Newest orders of earlier runs that the tracker is given. */
const REMEMBERED_MAX = 20_000;

/** Restores from the ledger which orders and fills of earlier runs are ours, and the position that they left. */
export const stateOf = (
  desks: Desks,
  { publicKeys, earlierHolders, readLagMaxMs, dialect = unknownDialect }: BeginOptions,
  kept: LedgerReads,
): BotState => {
  const state = createBotState({
    readLagMaxMs,
    markets: [...desks.values()].flatMap(({ markets }) => [...markets.keys()]),
    accounts: [...desks.values()].map(({ accountId, quoted, book, markets }) => ({
      accountId,
      queueModel: quoted.paper?.queueModel ?? null,
      book,
      agentPubkey: publicKeys.get(accountId) ?? "",
      createdAtMs: kept.chain(accountId)?.createdAtMs || null,
      funded: new Map(
        [...markets].flatMap(
          ([
            id,
            {
              estimates: { kept },
            },
          ]) => (kept?.funded ? [[id, kept.funded]] : []),
        ),
      ),
      knownOrders: kept.knownOrders(accountId, REMEMBERED_MAX).map(({ orderId }) => orderId),
      earlierHolders,
      dialect: dialectOf(dialect, kept.dialect(accountId)),
    })),
  });
  for (const { markets } of desks.values())
    for (const { quoted } of markets.values()) followSources(state, quoted.signals);
  return state;
};

const dialectOf = (said: Dialect, learned: Partial<Dialect>): Dialect => ({
  ...unknownDialect,
  ...learned,
  ...Object.fromEntries(Object.entries(said).filter(([, word]) => word !== null)),
});

/** Restores which cancels of earlier runs, and of other nodes, may still land. */
export function foreignActivityOf(
  { landingBoundMs, earlierHolders }: BeginOptions,
  { kept, ...modules }: Omit<ForeignActivityModules, "landingBoundMs"> & { readonly kept: LedgerReads },
): ForeignActivity {
  const foreignActivity = new ForeignActivity({ ...modules, landingBoundMs });
  const sinceMs = modules.clock.wallMs() - landingBoundMs;
  for (const account of modules.desks.keys()) {
    foreignActivity.recall(kept.unansweredIntents(account, sinceMs));
    foreignActivity.expect(account, earlierHolders);
  }
  return foreignActivity;
}

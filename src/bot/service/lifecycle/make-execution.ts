// The execution of one account, wired: its key, what it writes down, whose orders rest, and the time that its nonces go by.

import type { Allowances, EarlierHolder } from "../../../domain/allowance.ts";
import type { ExecutionEvent, VenueEvent } from "../../../domain/event.ts";
import type { TrackedOrder } from "../../../domain/order.ts";
import type { AccountId, MarketId } from "../../../domain/units.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { AccountState, BotState } from "../../account/account-state.ts";
import { unreadableIn } from "../../account/unreadable.ts";
import type { QuotedAccount, VenueConfig } from "../../config/config.ts";
import type { AccountDesk } from "../../decider/desks/account-desk.ts";
import { recovered } from "../../decider/recovered.ts";
import type { Machine } from "../../decider/step.ts";
import type { AgentKey } from "../../execution/agent-key.ts";
import { Execution } from "../../execution/execution.ts";
import type { OrderOwnership } from "../../execution/mass-cancel.ts";
import type { NonceLimits } from "../../execution/nonces.ts";
import type { ChainTime } from "../../execution/send-time.ts";
import { Unanswered } from "../../execution/unanswered.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { DeskSeries } from "../../live/desk-series.ts";
import type { Driver } from "../../live/driver.ts";
import { journalOf } from "../../live/journal.ts";
import { executionObserver } from "../../live/observe.ts";
import { readAccount } from "../../live/reads.ts";
import type { Resyncs } from "../../live/resyncs.ts";
import { chainTimeMs } from "../../market/time.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { Venue } from "../../venue/port.ts";
import type { Ability } from "../watchdog/ability.ts";
import type { KeyWatch } from "./other-accounts.ts";

/** Where other nodes of a fleet may have the account before and after this one. */
export type FleetShare = {
  readonly nonces: Partial<NonceLimits>;
  /** What may be unanswered at once. */
  readonly allowances: Allowances;
  readonly earlierHolders: readonly EarlierHolder[];
  /** Another node may have the account by now. */
  readonly isElsewhere: () => boolean;
};

type ExecutionParts = {
  readonly fleet: FleetShare | undefined;
  readonly keys: ReadonlyMap<AccountId, AgentKey>;
  readonly formerKeys: ReadonlyMap<AccountId, readonly AgentKey[]>;
  readonly state: BotState;
  readonly venue: Venue;
  readonly ledger: Ledger;
  readonly machine: Machine;
  readonly driver: Driver;
  readonly ability: Ability;
  readonly resyncs: Resyncs;
  readonly keyWatch: Pick<KeyWatch, "isElsewhere">;
  readonly clock: Clock;
  readonly log: Log;
  readonly series: DeskSeries;
  readonly metrics: Metrics;
};

export function makeExecution(
  { chainId, tooManyRequestsMeans, landingBoundMs, readLagMaxMs }: VenueConfig,
  desk: AccountDesk,
  parts: ExecutionParts,
): Execution {
  const { accountId } = desk;
  const { fleet, state, venue, ledger, driver, ability, resyncs, keyWatch, clock, series, metrics, log } = parts;
  const unanswered = new Unanswered(fleet?.allowances ?? null);
  const { reads } = venue;
  const apply = (event: VenueEvent): void => driver.fold(event);
  const note = (event: ExecutionEvent): void => {
    unanswered.note(event);
    ability.note(event);
    resyncs.note(event);
  };
  const read = (account: AccountId) => readAccount(account, { reads, clock, apply });
  const agentKey = keyOf(parts.keys, accountId);
  const formerKeys = parts.formerKeys.get(accountId) ?? [];
  return new Execution(
    {
      accountId,
      chainId,
      tooManyRequestsMeans,
      landingBoundMs,
      readLagMaxMs,
      agentKey,
      formerKeys,
      nonces: fleet?.nonces ?? {},
    },
    {
      clock,
      venue,
      journal: journalOf(ledger),
      chainTime: () => chainTimeOf(desk, state, clock),
      admits: (command) => unanswered.admits(command),
      fold(event) {
        note(event);
        driver.fold(event);
      },
      recovered(nonce, command) {
        for (const event of recovered(nonce, command, clock.monotonicMs())) note(event);
        driver.feed({ kind: "recovered", nonce, command });
      },
      onResolving: (marketId, isResolving) => driver.feed({ kind: "resolving", accountId, marketId, isResolving }),
      onRefused: (submit, reason, facts) => driver.feed({ kind: "refused", accountId, submit, reason, facts }),
      onEnded: (submit, outcome) => driver.feed({ kind: "ended", accountId, submit, outcome }),
      onSettled: (submit) => driver.feed({ kind: "settled", accountId, submit }),
      mayRest: (marketId) => parts.machine.sends(accountId).slots.mayRest(marketId),
      isOpen: (nonce) => state.accounts.get(accountId)?.orders.isOpen(nonce) ?? false,
      ownership: ownershipOf(desk, state.accounts.get(accountId), fleet, () => keyWatch.isElsewhere(accountId)),
      readAccount: read,
      readOrders: (account) => reads.orders(account),
      observe: executionObserver({ desk, series, metrics, clock, log }),
    },
  );
}

/**
 * Whose orders rest, by the tracker. Where foreign orders are to be canceled, there is none that must stay; where another node may have the
 * account, or the key is approved on another one, orders that must stay may rest in any market.
 */
function ownershipOf(
  desk: AccountDesk,
  account: AccountState | undefined,
  fleet: FleetShare | undefined,
  isKeyElsewhere: () => boolean,
): OrderOwnership {
  const live = (): readonly TrackedOrder[] => [...(account?.orders.resting() ?? [])];
  return {
    own: () =>
      live().flatMap((order) =>
        order.orderId === null || order.isForeign ? [] : [{ ...order, orderId: order.orderId }],
      ),
    isOurs: (orderId) => orderId !== null && (account?.orders.isOurs(orderId) ?? false),
    isGone: (orderId) => account?.orders.isOver(orderId) ?? false,
    isKeyElsewhere,
    foreignMarkets() {
      if (fleet?.isElsewhere() === true || isKeyElsewhere()) return new Set(desk.markets.keys());
      if (desk.quoted.foreignOrders === "cancel") return new Set();
      const foreign = live().filter(({ isForeign }) => isForeign);
      const unreadable = account === undefined ? [] : [...desk.markets.keys()].filter(isUnreadableIn(account));
      return new Set([...foreign.map(({ marketId }) => marketId), ...unreadable]);
    },
  };
}

/** Whether an order that could not be read may rest in the market, and be one that must stay. */
const isUnreadableIn = (account: AccountState) => (marketId: MarketId) =>
  unreadableIn(account, marketId).some(({ what }) => what === "order");

/** The clock may be as far off as the most patient of the account's markets allows; the gate of each holds it to its own limit. */
function chainTimeOf({ quoted }: AccountDesk, state: BotState, clock: Clock): ChainTime | null {
  const timeMs = chainTimeMs(state, clock.monotonicMs());
  if (timeMs === null) return null;
  return { timeMs, offsetMs: timeMs - clock.wallMs(), offsetMsMax: offsetMsMaxOf(quoted) + state.chain.blockMs };
}

/** Every order asks, and an account may quote hundreds of markets: worked out once for each configuration. */
const offsetsMsMax = new WeakMap<QuotedAccount, number>();

function offsetMsMaxOf(quoted: QuotedAccount): number {
  let most = offsetsMsMax.get(quoted);
  if (most === undefined) {
    most = Math.max(0, ...quoted.markets.map(({ limits }) => limits.maxClockOffsetMs));
    offsetsMsMax.set(quoted, most);
  }
  return most;
}

/** Throws RangeError where the account has none. */
export function keyOf(keys: ReadonlyMap<AccountId, AgentKey>, account: AccountId): AgentKey {
  const key = keys.get(account);
  if (key === undefined) throw new RangeError(`account ${account} has no key`);
  return key;
}

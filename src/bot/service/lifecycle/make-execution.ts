// The wired execution of one account: its key, its journal, and the clock of its nonces.

import type { Allowances, EarlierHolder } from "../../../domain/allowance.ts";
import type { AccountId } from "../../../domain/units.ts";
import type { Clock } from "../../../kernel/clock.ts";
import type { BotState } from "../../account/account-state.ts";
import type { QuotedAccount, VenueConfig } from "../../config/config.ts";
import { recovered } from "../../decider/acting/recovered.ts";
import type { AccountDesk } from "../../decider/desks/account-desk.ts";
import type { AgentKey } from "../../execution/agent-key.ts";
import { Execution } from "../../execution/execution.ts";
import type { NonceLimits } from "../../execution/nonces.ts";
import type { ChainTime } from "../../execution/send-time.ts";
import { Unanswered } from "../../execution/unanswered.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { DeskSeries } from "../../live/desk-series.ts";
import type { Driver } from "../../live/driver.ts";
import { executionObserver } from "../../live/execution-metrics.ts";
import { journalOf } from "../../live/ledger-journal.ts";
import { chainTimeMs } from "../../market/time.ts";
import type { Log } from "../../telemetry/log.ts";
import type { Metrics } from "../../telemetry/metrics.ts";
import type { Venue } from "../../venue/port.ts";

/** Where other nodes of a fleet may hold the account before and after this one. */
export type FleetShare = {
  readonly nonces: Partial<NonceLimits>;
  /** What may be unanswered at once. */
  readonly allowances: Allowances;
  readonly earlierHolders: readonly EarlierHolder[];
  /** Another node may hold the account by now. */
  readonly isElsewhere: () => boolean;
};

type ExecutionParts = {
  readonly fleet: FleetShare | undefined;
  readonly keys: ReadonlyMap<AccountId, AgentKey>;
  readonly formerKeys: ReadonlyMap<AccountId, readonly AgentKey[]>;
  readonly state: BotState;
  readonly venue: Venue;
  readonly ledger: Ledger;
  readonly driver: Driver;
  readonly clock: Clock;
  readonly log: Log;
  readonly series: DeskSeries;
  readonly metrics: Metrics;
};

export function makeExecution(
  { chainId, tooManyRequestsMeans }: VenueConfig,
  desk: AccountDesk,
  parts: ExecutionParts,
): Execution {
  const { accountId } = desk;
  const { fleet, state, venue, ledger, driver, clock, series, metrics, log } = parts;
  const unanswered = new Unanswered(fleet?.allowances ?? null);
  const agentKey = keyOf(parts.keys, accountId);
  const formerKeys = parts.formerKeys.get(accountId) ?? [];
  return new Execution(
    { accountId, chainId, tooManyRequestsMeans, agentKey, formerKeys, nonces: fleet?.nonces ?? {} },
    {
      clock,
      venue,
      journal: journalOf(ledger),
      chainTime: () => chainTimeOf(desk, state, clock),
      admits: (command) => unanswered.admits(command),
      sent(event) {
        unanswered.note(event);
        driver.feed({ kind: "event", event });
      },
      answered(event, submitted) {
        unanswered.note(event);
        driver.feed({ kind: "event", event, submitted });
      },
      settled: (nonce) => unanswered.settled(nonce),
      recovered(open) {
        for (const event of recovered(open.nonce, open.command, clock.monotonicMs())) unanswered.note(event);
        driver.feed({ kind: "recovered", ...open });
      },
      refused: (submit, reason, facts) => driver.feed({ kind: "refused", accountId, submit, reason, facts }),
      isOpen: (nonce) => state.accounts.get(accountId)?.orders.isOpen(nonce) ?? false,
      observe: executionObserver({ desk, series, metrics, clock, log }),
    },
  );
}

/** The clock may be off by as much as the most tolerant of the account's markets allows; each market's gate enforces its own limit. */
function chainTimeOf({ quoted }: AccountDesk, state: BotState, clock: Clock): ChainTime | null {
  const timeMs = chainTimeMs(state, clock.monotonicMs());
  if (timeMs === null) return null;
  return { timeMs, offsetMs: timeMs - clock.wallMs(), offsetMsMax: offsetMsMaxOf(quoted) + state.chain.blockMs };
}

/** Every order asks, and an account may quote hundreds of markets: computed once per configuration. */
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

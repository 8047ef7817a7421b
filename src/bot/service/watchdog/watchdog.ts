// The watchdog: a separate process with separate keys that listens to the daemon's heartbeat and cancels everything on an account when the
// daemon falls silent or can no longer act there. Its keys are checked before it starts and once a minute. The exchange has no dead man's
// switch, so this is ours.

import type { Account, NodeStatus } from "../../../domain/account.ts";
import type { AccountId } from "../../../domain/units.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { messageOf } from "../../../kernel/errors.ts";
import type { AgentKey } from "../../execution/agent-key.ts";
import { locklessCancel } from "../../execution/lockless-cancel.ts";
import { Pauses } from "../../execution/pauses.ts";
import type { Log } from "../../telemetry/log.ts";
import { cancelTiming, watchdogTiming } from "../../timing.ts";
import type { Venue } from "../../venue/port.ts";
import { checkOtherAccounts, KeyWatch } from "../lifecycle/other-accounts.ts";
import { checkAgent, checkChain } from "../lifecycle/start-checks.ts";
import { AccountWatch, type AccountWatchModules } from "./account-watch.ts";
import type { Heartbeat } from "./heartbeat.ts";

export type WatchdogOptions = {
  /** A daemon that can act and sends no heartbeat for this long counts as dead. */
  readonly silenceMs: number;
  readonly pollMs: number;
  readonly accounts: readonly AccountId[];
};

export type WatchdogModules = Omit<AccountWatchModules, "lookAgain"> & {
  /** Undefined when nothing answers within `timeoutMs`. Never rejects. */
  readonly heartbeat: (timeoutMs: number) => Promise<Heartbeat | undefined>;
};

export class Watchdog {
  readonly #options: WatchdogOptions;
  readonly #modules: WatchdogModules;
  readonly #pauses: Pauses;
  readonly #watches: readonly AccountWatch[];
  /** When the next look must be over, monotonic ms. */
  #dueMs: number;
  #isStopped = false;

  constructor(options: WatchdogOptions, modules: WatchdogModules) {
    const { silenceMs, accounts } = options;
    this.#options = options;
    this.#modules = modules;
    this.#pauses = new Pauses(modules);
    this.#dueMs = this.#nextDueMs();
    const lookAgain = (): Promise<void> => this.#listen(watchdogTiming.lastLookMaxMs);
    this.#watches = accounts.map((accountId) => new AccountWatch({ accountId, silenceMs }, { ...modules, lookAgain }));
  }

  /** Watches until `stop`. A daemon that was never heard counts as one that died. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      await this.#listen(watchdogTiming.answerMaxMs);
      if (this.#isStopped) break;
      for (const watch of this.#watches) watch.look();
      this.#dueMs = this.#nextDueMs();
      await this.#pauses.wait(this.#options.pollMs);
    }
    await Promise.all(this.#watches.map((watch) => watch.stop()));
  }

  /** How long its look at the daemon is overdue, ms; 0: it is not. For whoever watches the watchdog. */
  overdueMs(): number {
    return Math.max(0, this.#modules.clock.monotonicMs() - this.#dueMs);
  }

  stop(): void {
    this.#isStopped = true;
    for (const watch of this.#watches) void watch.stop();
    this.#pauses.end();
  }

  #nextDueMs(): number {
    return this.#modules.clock.monotonicMs() + this.#options.pollMs + watchdogTiming.answerMaxMs;
  }

  async #listen(timeoutMs: number): Promise<void> {
    const beat = await this.#modules.heartbeat(Math.min(this.#options.silenceMs / 2, timeoutMs));
    if (beat !== undefined && !this.#isStopped) for (const watch of this.#watches) watch.hear(beat);
  }
}

export type WatchOptions = {
  readonly chainId: string;
  readonly readLagMaxMs: number;
  /** A daemon that can act and sends no heartbeat for this long counts as dead. */
  readonly silenceMs: number;
  readonly pollMs: number;
  /** The watchdog's own, by account. */
  readonly keys: ReadonlyMap<AccountId, AgentKey>;
};

export type WatchModules = {
  readonly clock: Clock;
  readonly log: Log;
  readonly venue: Pick<Venue, "reads" | "submit">;
  /** Undefined when nothing answers within `timeoutMs`. Never rejects. */
  readonly heartbeat: (timeoutMs: number) => Promise<Heartbeat | undefined>;
};

export type Watch = {
  readonly stop: () => void;
  /** How long its look at the daemon is overdue, ms; 0: it is not. */
  readonly overdueMs: () => number;
  /** Resolves when it no longer watches. */
  readonly ended: Promise<void>;
};

/** Starts watching. Throws StartError when the exchange or an account does not accept the watchdog. */
export async function startWatch(options: WatchOptions, modules: WatchModules): Promise<Watch> {
  const { chainId, readLagMaxMs, silenceMs, pollMs, keys } = options;
  const { clock, log, venue } = modules;
  const node = await checkChain(chainId, venue.reads, clock);
  const accounts = await checkKeys(keys, node.blockTimestampSec, modules);
  const keyWatch = await watchKeys(keys, accounts, node.blockTimestampSec, modules);
  // A mass cancel starts from known data: it waits for no read.
  let offsetMs = offsetOf(node, clock);
  const dog = new Watchdog(
    { silenceMs, pollMs, accounts: [...keys.keys()] },
    {
      clock,
      log,
      heartbeat: modules.heartbeat,
      massCancel(accountId, { keep, named }, isOver) {
        const agentKey = keys.get(accountId) as AgentKey;
        const own = () => [...named].map((orderId) => ({ orderId, marketId: null }));
        const deadlineMs = cancelTiming.watchdogMs + readLagMaxMs;
        const options = { accountId, chainId, readLagMaxMs, agentKey, keep, own, deadlineMs, isOver, offsetMs };
        const begin = keyWatch.elsewhere.has(accountId) ? {} : ({ begin: "cancelAll" } as const);
        return locklessCancel({ ...options, ...begin }, { clock, venue });
      },
    },
  );
  const checking = clock.every(watchdogTiming.checkEveryMs, () => {
    keyWatch.look();
    void stillMay(keys, modules).then((known) => {
      offsetMs = known ?? offsetMs;
    });
  });
  const ended = dog.run().finally(checking.cancel);
  return { stop: () => dog.stop(), overdueMs: () => dog.overdueMs(), ended };
}

async function checkKeys(
  keys: WatchOptions["keys"],
  nowSec: number,
  { venue, clock }: WatchModules,
): Promise<readonly Account[]> {
  const accounts: Account[] = [];
  for (const [accountId, { publicKey }] of keys)
    accounts.push(await checkAgent({ accountId, publicKey }, nowSec, venue.reads, clock));
  return accounts;
}

/** Throws StartError where a key is approved on another account too: a mass cancel begins with CancelAllOrders. */
async function watchKeys(
  keys: WatchOptions["keys"],
  accounts: readonly Account[],
  nowSec: number,
  { venue, clock, log }: WatchModules,
): Promise<KeyWatch> {
  const { reads } = venue;
  const held = accounts.flatMap((account) => {
    const key = keys.get(account.accountId);
    return key === undefined ? [] : [{ account, key: key.publicKey }];
  });
  const keyWatch = new KeyWatch({
    accounts: new Map(held.map(({ account, key }) => [account.accountId, watched(account, key)])),
    reads,
    chainTimeMs: () => null,
    clock,
    log,
  });
  await Promise.all(
    held.map(async ({ account, key }) =>
      keyWatch.started(account.accountId, key, await checkOtherAccounts(account, key, nowSec, reads)),
    ),
  );
  return keyWatch;
}

const watched = (account: Account, agentPubkey: string) => ({
  accountId: account.accountId,
  agentPubkey,
  isPaper: false,
  read: { value: account },
});

/**
 * A watchdog with a revoked key is useless: that is reported before there is anything to cancel. Resolves with chain time minus local wall
 * time, ms; null: unknown.
 */
async function stillMay(keys: WatchOptions["keys"], modules: WatchModules): Promise<number | null> {
  const { clock, log, venue } = modules;
  try {
    const node = await venue.reads.node();
    const offsetMs = offsetOf(node, clock);
    await checkKeys(keys, node.blockTimestampSec, modules);
    return offsetMs;
  } catch (error) {
    log.error({ event: "watchdog.powerless" }, `could not cancel now: ${messageOf(error)}`);
    return null;
  }
}

const offsetOf = ({ blockTimestampSec }: NodeStatus, clock: Clock): number => blockTimestampSec * 1000 - clock.wallMs();

// Other accounts on which an agent key is approved: CancelAllOrders names no account (S4.6) and may cancel a person's orders there. The
// start refuses such a key; one that is approved elsewhere later cancels order by order from then on.

import type { Account } from "../../../domain/account.ts";
import type { AccountId } from "../../../domain/units.ts";
import type { Clock } from "../../../kernel/clock.ts";
import { messageOf } from "../../../kernel/errors.ts";
import type { AccountState } from "../../account/account-state.ts";
import type { Log } from "../../telemetry/log.ts";
import { processTiming } from "../../timing.ts";
import type { VenueReads } from "../../venue/port.ts";
import { StartError } from "./start-error.ts";

/** `unread`: why an account, or their list, could not be read, a sentence each. */
export type OtherAccounts = { readonly others: readonly Account[]; readonly unread: readonly string[] };

type OwnerReads = Pick<VenueReads, "ownedAccounts" | "account">;

/** The other accounts of an account's owner (S2.7). Never rejects. */
export async function readOtherAccounts(
  { accountId, owner }: Pick<Account, "accountId" | "owner">,
  reads: OwnerReads,
): Promise<OtherAccounts> {
  const unread: string[] = [];
  const tried = async <T>(what: string, read: () => Promise<T>): Promise<readonly T[]> => {
    try {
      return [await read()];
    } catch (error) {
      unread.push(`${what} cannot be read: ${messageOf(error)}`);
      return [];
    }
  };
  if (owner === null) return { others: [], unread: [`the exchange does not show the owner of account ${accountId}`] };
  const listed = (await tried("the list of the owner's accounts", () => reads.ownedAccounts(owner))).flat();
  const ids = new Set(listed.filter((id) => id !== accountId));
  const others = await Promise.all([...ids].map((id) => tried(`account ${id}`, () => reads.account(id))));
  return { others: others.flat(), unread };
}

/** Returns which of these accounts list the key as valid at `nowSec`, chain time. An approval on a master lists it only there (S5). */
export const approvedOn = (
  { others }: Pick<OtherAccounts, "others">,
  publicKey: string,
  nowSec: number,
): readonly AccountId[] =>
  others
    .filter(({ agents }) =>
      agents.some(
        ({ pubkey, expiresAtSec }) => pubkey === publicKey && (expiresAtSec === null || expiresAtSec > nowSec),
      ),
    )
    .map(({ accountId }) => accountId);

/** For people. */
export const elsewhereText = (accountId: AccountId, publicKey: string, elsewhere: readonly AccountId[]): string =>
  `agent key ${publicKey} of account ${accountId} is approved on account ${elsewhere.join(", ")} too, where CancelAllOrders may take orders of others; have the owner revoke it there, or approve a key of its own`;

/** Throws StartError where the key is approved on another account of the owner. Returns what could not be checked, a sentence each. */
export async function checkOtherAccounts(
  account: Pick<Account, "accountId" | "owner">,
  publicKey: string,
  nowSec: number,
  reads: OwnerReads,
): Promise<readonly string[]> {
  const found = await readOtherAccounts(account, reads);
  const elsewhere = approvedOn(found, publicKey, nowSec);
  if (elsewhere.length === 0) return found.unread;
  throw new StartError("configuration", `${elsewhereText(account.accountId, publicKey, elsewhere)}; nothing was sent`);
}

type Looked = { key: string; atMs: number; elsewhere: readonly AccountId[]; unread: string };

/** `read`: the exchange's last answer; null: none yet. */
type KeyHolder = Pick<AccountState, "accountId" | "agentPubkey" | "isPaper"> & {
  readonly read: { readonly value: Account } | null;
};

export type KeyWatchModules = {
  readonly accounts: ReadonlyMap<AccountId, KeyHolder>;
  readonly reads: OwnerReads;
  /** Unix ms; null: not known. */
  readonly chainTimeMs: () => number | null;
  readonly clock: Clock;
  readonly log: Log;
};

/** Checks each hour, and after a change of key, where else a key is approved. */
export class KeyWatch {
  readonly #modules: KeyWatchModules;
  readonly #looked = new Map<AccountId, Looked>();
  #elsewhere: ReadonlySet<AccountId> = new Set();

  constructor(modules: KeyWatchModules) {
    this.#modules = modules;
  }

  /** Accounts whose key was approved on another account at the last read; a new set after each change. */
  get elsewhere(): ReadonlySet<AccountId> {
    return this.#elsewhere;
  }

  /** Call it after the start's check. `unread`: see `checkOtherAccounts`. */
  started(accountId: AccountId, key: string, unread: readonly string[]): void {
    const looked = this.#lookedAt(accountId, key);
    this.#sayUnread(accountId, looked, unread);
  }

  /** Call it about once a second. */
  look(): void {
    const { accounts, clock } = this.#modules;
    for (const { accountId, agentPubkey, isPaper, read } of accounts.values()) {
      if (isPaper || read === null) continue;
      const known = this.#looked.get(accountId);
      const isDue =
        known?.key !== agentPubkey || clock.monotonicMs() - known.atMs >= processTiming.otherAccountsEveryMs;
      if (isDue) void this.#read(read.value, this.#lookedAt(accountId, agentPubkey));
    }
  }

  /** Updates what is known of the key. */
  #lookedAt(accountId: AccountId, key: string): Looked {
    const known = this.#looked.get(accountId);
    const atMs = this.#modules.clock.monotonicMs();
    const looked = known?.key === key ? known : { key, atMs, elsewhere: [], unread: "" };
    if (looked !== known) this.#elsewhere = new Set([...this.#elsewhere].filter((id) => id !== accountId));
    looked.atMs = atMs;
    this.#looked.set(accountId, looked);
    return looked;
  }

  async #read(account: Account, looked: Looked): Promise<void> {
    const { reads, chainTimeMs, clock, log } = this.#modules;
    const { accountId } = account;
    const found = await readOtherAccounts(account, reads);
    this.#sayUnread(accountId, looked, found.unread);
    const elsewhere = approvedOn(found, looked.key, (chainTimeMs() ?? clock.wallMs()) / 1000);
    const isNews = elsewhere.join() !== looked.elsewhere.join();
    // A failed read revokes no approval.
    if (!isNews || (found.unread.length > 0 && elsewhere.length < looked.elsewhere.length)) return;
    looked.elsewhere = elsewhere;
    this.#elsewhere = new Set([...this.#looked].flatMap(([id, of]) => (of.elsewhere.length > 0 ? [id] : [])));
    const facts = { event: "key.elsewhere", account: `${accountId}`, others: elsewhere.join(", ") };
    if (elsewhere.length === 0)
      log.info(facts, `the agent key of account ${accountId} is no longer approved on another account`);
    else
      log.error(
        facts,
        `${elsewhereText(accountId, looked.key, elsewhere)}; until then orders are canceled one by one, without CancelAllOrders`,
      );
  }

  #sayUnread(accountId: AccountId, looked: Looked, unread: readonly string[]): void {
    const why = unread.join("; ");
    if (why !== "" && why !== looked.unread)
      this.#modules.log.warn(
        { event: "key.unchecked", account: `${accountId}` },
        `whether the agent key of account ${accountId} is approved on other accounts too could not be checked: ${why}; it is tried again within the hour`,
      );
    looked.unread = why;
  }
}

// Staking of NATIVE (S2.7, S4.4): the stake belongs to the owner and moves through the personal master account. Formats, validators and
// times are our choice: the interface names the reads and shows no field. No rewards are paid.

import { type Native, native } from "../../domain/units.ts";
import type { StakeValidator } from "../../wire/rest/exchange.ts";
import type { StakeTransaction } from "../../wire/transaction/unshown.ts";
import type { Context } from "../engine/calls.ts";
import type { ChainEvent, Receipt } from "../event.ts";
import { changed, done, refused } from "./receipt.ts";
import type { AccountRow, Registry } from "./registry.ts";
import type { Table, Tables } from "./table.ts";

/** Time for which undelegated NATIVE is neither staked nor liquid: seven days of chain time. */
export const UNBONDING_SECS = 604_800;
/** Limits the unbonding entries of one owner, because the chain stores each. */
const UNBONDING_MAX = 100;

/** One process runs the devnet, so its validators are only names to delegate to. */
export const stakeValidators: readonly Omit<StakeValidator, "stake">[] = [
  "validator-1",
  "validator-2",
  "validator-3",
].map((name) => ({
  name,
  commissionBps: 500,
  uptimeBps: 10_000,
  status: "Active",
}));

export type Delegation = { readonly owner: string; readonly validator: string; readonly amount: Native };
export type Unbonding = { readonly owner: string; readonly amount: Native; readonly releasedAtMs: number };

export type Staking = {
  readonly delegate: (row: AccountRow, stake: StakeTransaction) => Receipt;
  readonly undelegate: (row: AccountRow, stake: StakeTransaction, ctx: Context) => Receipt;
  /** Pays back the entries that are due at the block's time. */
  readonly release: (timeMs: number) => readonly ChainEvent[];
  readonly delegations: (owner: string) => readonly Delegation[];
  readonly unbonding: (owner: string) => readonly Unbonding[];
  /** Total stake with one validator. */
  readonly staked: (validator: string) => Native;
};

export function createStaking(tables: Tables, registry: Registry): Staking {
  const delegated: Table<Delegation> = tables.open("delegation");
  const totals: Table<Native> = tables.open("stake");
  /** Ordered by release time, because all wait equally long. */
  const waiting: Table<Unbonding> = tables.open("unbonding");
  const counters: Table<number> = tables.open("unbondingCounter");
  const delegatedBy = delegated.index((row) => [row.owner]);
  const waitingFor = waiting.index((row) => [row.owner]);
  const staked = (validator: string) => totals.get(validator) ?? native(0n);

  function change(owner: string, validator: string, by: bigint): void {
    const key = `${owner} ${validator}`;
    const amount = native((delegated.get(key)?.amount ?? 0n) + by);
    if (amount === 0n) delegated.delete(key);
    else delegated.set(key, { owner, validator, amount });
    totals.set(validator, native(staked(validator) + by));
  }

  return {
    staked,
    delegations: (owner) => delegatedBy(owner).toSorted((a, b) => (a.validator < b.validator ? -1 : 1)),
    unbonding: (owner) => waitingFor(owner).toSorted((a, b) => a.releasedAtMs - b.releasedAtMs),
    delegate(row, { validator, amount }) {
      const refusal = refusalOf(row, validator);
      if (refusal !== null) return refusal;
      if (amount > row.native)
        return refused("InsufficientNative", `account ${row.accountId} has ${row.native} NATIVE`);
      registry.put({ ...row, native: native(row.native - amount) });
      change(row.owner, validator, amount);
      return done(changed("StakeDelegated", row.accountId, { validator, amount: `${amount}` }));
    },
    undelegate(row, { validator, amount }, ctx) {
      const refusal = refusalOf(row, validator);
      if (refusal !== null) return refusal;
      const has = delegated.get(`${row.owner} ${validator}`)?.amount ?? 0n;
      if (amount > has) return refused("InsufficientStake", `${has} are staked with ${validator}`);
      if (waitingFor(row.owner).length >= UNBONDING_MAX) {
        return refused("UnbondingLimit", `${UNBONDING_MAX} parts are unbonding, the most there can be`);
      }
      change(row.owner, validator, -amount);
      const sequence = (counters.get("last") ?? 0) + 1;
      counters.set("last", sequence);
      const releasedAtMs = ctx.timeMs + UNBONDING_SECS * 1000;
      waiting.set(`${sequence}`, { owner: row.owner, amount: native(amount), releasedAtMs });
      return done(changed("StakeUndelegated", row.accountId, { validator, amount: `${amount}` }));
    },
    release(timeMs) {
      const events: ChainEvent[] = [];
      for (const key of waiting.keys()) {
        const due = waiting.get(key);
        if (due === undefined || due.releasedAtMs > timeMs) break;
        const master = registry.personal(due.owner);
        if (master === undefined) break;
        waiting.delete(key);
        registry.put({ ...master, native: native(master.native + due.amount) });
        events.push(changed("StakeReleased", master.accountId, { amount: `${due.amount}` }));
      }
      return events;
    },
  };
}

function refusalOf(row: AccountRow, validator: string): Receipt | null {
  if (row.kind !== "personal") return refused("NotAMaster", "staking goes through the personal master account");
  if (stakeValidators.some((each) => each.name === validator)) return null;
  return refused("UnknownValidator", "there is no validator of that name");
}

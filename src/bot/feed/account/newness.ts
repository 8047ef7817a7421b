// What a read of the account proves about its own age, by its content alone (it carries neither height nor time): it may refute only
// what it is proven to be newer than. Heights and times of other answers prove nothing, since another node may have given them.

import type { Account } from "../../../domain/account.ts";
import type { ReadEvent } from "../../../domain/event.ts";
import { type Usdc, usdc } from "../../../domain/units.ts";
import type { FillSource } from "../effects.ts";
import { CLOCK_MS } from "../market/chain-clock.ts";
import type { FeedState } from "../state.ts";
import type { AccountState, KnownVolume } from "./account-state.ts";

type AccountRead = Extract<ReadEvent, { kind: "accountRead" }>;

/**
 * Monotonic times, ms. What we received by such a time had happened before it: the read has it, also where both times are equal.
 */
export type Newness = {
  /** The read shows the account as it was then, or later; minus infinity: nothing in it proves any time. */
  readonly provenMs: number;
  /** The same, where a read is taken to be no older than a transaction may take to land: for what cannot rest on an order. */
  readonly trustedMs: number;
  /** Its volume beside that of the fills that we know. `less`: it may be older than the last of them. `more`: it has others too. */
  readonly volume: "equal" | "less" | "more";
  /** It has fills that we do not know, and their volume may hide that it lacks our fills since the last read. */
  readonly mayLackFills: boolean;
  readonly lifetimeVolume: Usdc;
};

export function newnessOf(state: FeedState, account: AccountState, event: AccountRead): Newness {
  const { account: read, askedMs } = event;
  const { lifetimeVolume, openOrders } = read;
  const lead = volumeLead(account.volume, lifetimeVolume);
  const span = BigInt(account.volume.fillCount);
  const byOrders = account.orders.provenBy(openOrders);
  const volume = lead < -span ? "less" : lead > span ? "more" : "equal";
  // An order is filled after it was asked for.
  const byFills = volume === "equal" ? account.filledOrderMs : Number.NEGATIVE_INFINITY;
  const provenMs = Math.max(byOrders, byFills, bySettlements(state, read));
  const isExplained = keepsLead(account.volume, lead, askedMs) || showsLedger(account.volume, lead);
  return {
    provenMs,
    trustedMs: Math.max(provenMs, askedMs - state.ages.landingBoundMs),
    volume,
    mayLackFills: volume === "more" && account.volume.fillCount > 0 && !isExplained,
    lifetimeVolume,
  };
}

/** It shows as much beyond our fills as a read did before the last of them: if it lacked some of these it would show less. */
function keepsLead({ lead, fillCount, knownMs }: KnownVolume, amount: bigint, askedMs: number): boolean {
  if (lead === null || lead.receivedMs >= knownMs || askedMs <= knownMs) return false;
  const span = BigInt(fillCount);
  return amount >= lead.amount - span && amount <= lead.amount + span;
}

/** It shows, beyond our fills, all fills of the ledger that the last read may have lacked: as these are earlier, it lacks none of ours. */
const showsLedger = (volume: KnownVolume, amount: bigint): boolean =>
  lackedAfter(volume, amount).some((volumes) => volumes.length === 0);

/** What a read may still lack of the ledger's fills that shows this much more of them: empty where they do not add up to it. */
const lackedAfter = ({ lacked, fillCount }: KnownVolume, amount: bigint): KnownVolume["lacked"] =>
  lacked.flatMap((volumes) => {
    let left = amount;
    for (const [count, traded] of [...volumes, usdc(0n)].entries()) {
      const span = BigInt(count + fillCount);
      if (left >= -span && left <= span) return [volumes.slice(count)];
      left -= traded;
    }
    return [];
  });

/** A read that raced with a fill of ours may lack it: what it shows beyond our fills is not known. */
export function noteLead(volume: KnownVolume, { account, askedMs, receivedMs }: AccountRead): void {
  if (askedMs <= volume.knownMs) return;
  const amount = volumeLead(volume, account.lifetimeVolume);
  if (amount > (volume.lead?.amount ?? 0n) + BigInt(volume.fillCount)) volume.lead = { amount, receivedMs };
}

/** A position that has settled against the newest index is of that settlement's time or later. */
function bySettlements({ markets, chain }: FeedState, { positions }: Account): number {
  let newestMs = Number.NEGATIVE_INFINITY;
  for (const { marketId, cumulativeFunding } of positions) {
    const index = markets.get(marketId)?.fundingIndex ?? null;
    if (chain.offsetMs === null || index === null || index.sinceSec === null) continue;
    if (index.value === cumulativeFunding)
      newestMs = Math.max(newestMs, index.sinceSec * 1000 - chain.offsetMs - CLOCK_MS);
  }
  return newestMs;
}

/** A fill of ours that no read had yet. One that trades show may be of before a read, which then showed less beyond our fills. */
export function addVolume(volume: KnownVolume, notional: Usdc, source: FillSource, receivedMs: number): void {
  if (source === "trades") volume.lead = null;
  volume.filled += notional;
  volume.fillCount += 1;
  volume.knownMs = receivedMs;
}

/** A fill that a read may have had before it was known to us. Returns what reads have not shown of its volume. */
export function explainVolume(volume: KnownVolume, notional: Usdc): Usdc {
  const shown = notional < volume.unseen ? notional : volume.unseen;
  volume.unseen -= shown;
  return usdc(notional - shown);
}

/**
 * A read includes every fill that we know. What it shows beyond them was filled too: by fills of the ledger, or by fills that nobody showed
 * us.
 */
export function rebaseVolume(account: AccountState, read: Usdc, receivedMs: number): void {
  const { volume, collateral } = account;
  const lead = volumeLead(volume, read);
  const lacked = lackedAfter(volume, lead);
  const isUnseen = lead > BigInt(volume.fillCount) && lacked.length === 0;
  if (isUnseen) collateral.hasUnseenFills = true;
  const unseen = isUnseen ? volume.unseen + lead : volume.unseen;
  const unseenMs = isUnseen ? receivedMs : volume.unseenMs;
  const rebased: Partial<KnownVolume> = { read, filled: 0n, fillCount: 0, lead: null, unseen, unseenMs, lacked };
  Object.assign(volume, rebased);
}

/** Whether a read since then, monotonic ms, showed volume of fills that are still unknown. */
export function isTradedUnseen({ read, volume }: AccountState, sinceMs: number): boolean {
  const { unseen, unseenMs } = volume;
  if (read === null || (unseen > 0n && unseenMs !== null && unseenMs >= sinceMs)) return true;
  return volumeLead(volume, read.value.lifetimeVolume) > BigInt(volume.fillCount);
}

/** How much more volume a read shows than we know of. */
const volumeLead = ({ read, filled }: KnownVolume, shown: Usdc): bigint => (read === null ? 0n : shown - read - filled);

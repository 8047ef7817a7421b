// Prepares for the expiry of an agent key: warns a week, a day and an hour ahead, and cancels everything before. Quotes end earlier, by the
// gate; after the expiry nobody here could cancel anything.

import type { AccountId } from "../../../domain/units.ts";
import { lastKnown } from "../../../domain/view.ts";
import { processTiming } from "../../timing.ts";
import type { AccountDesk } from "../desks/account-desk.ts";
import type { Say } from "../notice.ts";
import type { Halts } from "./halts.ts";

export type KeyExpiryModules = {
  readonly desks: ReadonlyMap<AccountId, AccountDesk>;
  readonly log: Say;
  readonly halts: Pick<Halts, "beforeKeyEnds">;
};

/** Longest first, ms. */
const WARNINGS = [
  { leftMs: processTiming.keyWarningsMs.week, words: "a week" },
  { leftMs: processTiming.keyWarningsMs.day, words: "a day" },
  { leftMs: processTiming.keyWarningsMs.hour, words: "an hour" },
] as const;

type Warned = { readonly key: string; readonly expiresAtSec: number; warnings: number; isCleared: boolean };

export class KeyExpiry {
  readonly #modules: KeyExpiryModules;
  readonly #warned = new Map<AccountId, Warned>();

  constructor(modules: KeyExpiryModules) {
    this.#modules = modules;
  }

  /** Call it about once a second. */
  look(): void {
    for (const desk of this.#modules.desks.values()) {
      const keyEnd = keyEndOf(desk);
      if (keyEnd === null) continue;
      const warned = this.#warnedOf(desk.accountId, keyEnd);
      this.#warn(desk, keyEnd, warned);
      if (warned.isCleared || keyEnd.leftMs > clearMs(desk)) continue;
      warned.isCleared = true;
      const isEnding = (): boolean => (keyEndOf(desk)?.leftMs ?? Number.POSITIVE_INFINITY) <= clearMs(desk);
      this.#modules.halts.beforeKeyEnds(desk, isEnding);
    }
  }

  /** A rotated key, or one whose expiry changed, is warned about again. */
  #warnedOf(account: AccountId, { key, expiresAtSec }: KeyEnd): Warned {
    const known = this.#warned.get(account);
    if (known?.key === key && known.expiresAtSec === expiresAtSec) return known;
    const warned = { key, expiresAtSec, warnings: 0, isCleared: false };
    this.#warned.set(account, warned);
    return warned;
  }

  /** Only the nearest due warning is given: a bot started on the last day warns once. */
  #warn({ accountId }: AccountDesk, { leftMs, expiresAtSec }: KeyEnd, warned: Warned): void {
    const due = WARNINGS.filter((warning) => leftMs <= warning.leftMs);
    const nearest = due.at(-1);
    if (nearest === undefined || due.length <= warned.warnings) return;
    warned.warnings = due.length;
    const at = new Date(expiresAtSec * 1000).toISOString();
    this.#modules.log.warn(
      { event: "key.ends", account: `${accountId}`, expiresAtSec, leftSec: Math.round(leftMs / 1000) },
      `the agent key of account ${accountId} expires at ${at}, in less than ${nearest.words}: have the owner approve another`,
    );
  }
}

type KeyEnd = { readonly key: string; readonly expiresAtSec: number; readonly leftMs: number };

/** By the chain's clock; null where key or clock is unknown, or the key never expires. */
function keyEndOf({ markets }: AccountDesk): KeyEnd | null {
  for (const { last } of markets.values()) {
    if (last === null) continue;
    const agent = lastKnown(last.view.agent);
    const chain = lastKnown(last.view.chain);
    if (agent === undefined || chain === undefined || agent.expiresAtSec === null) return null;
    const { pubkey, expiresAtSec } = agent;
    return { key: pubkey, expiresAtSec, leftMs: expiresAtSec * 1000 - chain.timeMs };
  }
  return null;
}

/** Half of the margin at which quoting ends: quotes pulled then have gone by now. */
function clearMs({ markets }: AccountDesk): number {
  const margins = [...markets.values()].map(({ quoted }) => quoted.limits.agentExpiryMarginMs);
  return Math.max(processTiming.keyClearMinMs, Math.min(...margins) / 2);
}

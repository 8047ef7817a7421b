// The end of an agent key, seen coming: said a week, a day and an hour ahead, and everything canceled before it ends. Quotes end earlier, by
// the gate; afterwards nobody here could cancel anything.

import type { AccountId } from "../../../domain/units.ts";
import { lastKnown } from "../../../domain/view.ts";
import type { Log } from "../../telemetry/log.ts";
import type { AccountDesk } from "../desks/account-desk.ts";
import type { Halts } from "../operator/halts.ts";

export type KeyLifeModules = {
  readonly desks: ReadonlyMap<AccountId, AccountDesk>;
  readonly log: Log;
  readonly halts: Pick<Halts, "beforeKeyEnds">;
};

/** Longest first, ms. */
const WARNINGS = [
  { leftMs: 7 * 86_400_000, words: "a week" },
  { leftMs: 86_400_000, words: "a day" },
  { leftMs: 3_600_000, words: "an hour" },
] as const;
/** The least time to cancel in, whatever the margin. */
const CLEAR_MS_MIN = 5000;

type Told = { readonly key: string; readonly expiresAtSec: number; warnings: number; isCleared: boolean };

export class KeyLife {
  readonly #modules: KeyLifeModules;
  readonly #told = new Map<AccountId, Told>();

  constructor(modules: KeyLifeModules) {
    this.#modules = modules;
  }

  /** To be called about once a second. */
  look(): void {
    for (const desk of this.#modules.desks.values()) {
      const life = lifeOf(desk);
      if (life === null) continue;
      const told = this.#toldOf(desk.accountId, life);
      this.#warn(desk, life, told);
      if (told.isCleared || life.leftMs > clearMs(desk)) continue;
      told.isCleared = true;
      const isEnding = (): boolean => (lifeOf(desk)?.leftMs ?? Number.POSITIVE_INFINITY) <= clearMs(desk);
      this.#modules.halts.beforeKeyEnds(desk, isEnding);
    }
  }

  /** A key that was rotated, or whose life was changed, is told of anew. */
  #toldOf(account: AccountId, { key, expiresAtSec }: KeyEnd): Told {
    const known = this.#told.get(account);
    if (known?.key === key && known.expiresAtSec === expiresAtSec) return known;
    const told = { key, expiresAtSec, warnings: 0, isCleared: false };
    this.#told.set(account, told);
    return told;
  }

  /** Only the nearest of the warnings that are due: a bot started on the last day says so once. */
  #warn({ accountId }: AccountDesk, { leftMs, expiresAtSec }: KeyEnd, told: Told): void {
    const due = WARNINGS.filter((warning) => leftMs <= warning.leftMs);
    const nearest = due.at(-1);
    if (nearest === undefined || due.length <= told.warnings) return;
    told.warnings = due.length;
    const at = new Date(expiresAtSec * 1000).toISOString();
    this.#modules.log.warn(
      { event: "key.ends", account: `${accountId}`, expiresAtSec, leftSec: Math.round(leftMs / 1000) },
      `the agent key of account ${accountId} ends at ${at}, in less than ${nearest.words}: have the owner approve another`,
    );
  }
}

type KeyEnd = { readonly key: string; readonly expiresAtSec: number; readonly leftMs: number };

/** By the chain's clock; null where key or clock is not known, or the key has no end. */
function lifeOf({ markets }: AccountDesk): KeyEnd | null {
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

/** Half of the margin at which quoting ends: what was pulled then has gone by now. */
function clearMs({ markets }: AccountDesk): number {
  const margins = [...markets.values()].map(({ quoted }) => quoted.limits.agentExpiryMarginMs);
  return Math.max(CLEAR_MS_MIN, Math.min(...margins) / 2);
}

// What the chain does by itself when a block begins: oracles age, funding is paid, triggers go off, margins are called in.

import type { ChainEvent } from "../event.ts";
import { dayOf, rollVolume } from "./accounts/volume.ts";
import { runLiquidations } from "./liquidation/liquidation.ts";
import { runFunding } from "./market/funding.ts";
import { ageOracle } from "./market/oracle.ts";
import { runTriggers } from "./orders/conditional.ts";
import { beginStep, type Core, finishStep } from "./state.ts";

export function beginBlock(
  core: Core,
  block: { readonly height: number; readonly timeMs: number },
): readonly ChainEvent[] {
  const step = beginStep(core, { ...block, txHash: "" });
  rollDays(core, block.timeMs);
  for (const market of core.markets.values()) {
    ageOracle(core, market, block.timeMs);
    runFunding(step, market);
    runTriggers(step, market);
  }
  runLiquidations(step);
  return finishStep(step);
}

/** Volumes lose the days that have left the trailing window. */
function rollDays(core: Core, timeMs: number): void {
  const from = dayOf(core.nowMs);
  const to = dayOf(timeMs);
  core.nowMs = timeMs;
  if (to <= from) return;
  for (const account of core.accounts.values()) rollVolume(account.volume, from, to);
  for (const family of core.families.values()) rollVolume(family.volume, from, to);
}

// Occasionally measures the memory of strategies. It is plain data of a few numbers; one that grows each turn would end the process, so it
// is reported long before. Anything kept outside this memory shows only in the heap of the process (daemon/process/heap-watch.ts).

import type { AccountId } from "../../../domain/units.ts";
import { sizeOf } from "../../../kernel/size-of.ts";
import { bytesText } from "../../../kernel/text.ts";
import type { AccountDesk } from "../../decider/desks/account-desk.ts";
import type { RunningStrategy } from "../../strategy/loader.ts";
import type { Log } from "../../telemetry/log.ts";
import { deskTiming } from "../../timing.ts";

/** The memory of a shipped strategy is some hundred bytes. */
const MEMORY_BYTES_MAX = 8 * 1024 * 1024;

type Modules = { readonly desks: ReadonlyMap<AccountId, AccountDesk>; readonly log: Log };

export class StrategyMemory {
  readonly #modules: Modules;
  /** Its size as last reported. */
  readonly #said = new WeakMap<RunningStrategy, number>();

  constructor(modules: Modules) {
    this.#modules = modules;
  }

  /** Call each `deskTiming.memoryEveryMs`. Reports each doubling. */
  look(): void {
    const { desks, log } = this.#modules;
    for (const { accountId, markets } of desks.values()) {
      for (const { marketId, quoted, strategy: slot } of markets.values()) {
        const strategy = slot.running;
        const bytes = sizeOf(strategy.memory);
        if (bytes < Math.max(MEMORY_BYTES_MAX, 2 * (this.#said.get(strategy) ?? 0))) continue;
        this.#said.set(strategy, bytes);
        log.warn(
          { event: "strategy.memory", account: `${accountId}`, market: marketId, bytes: Math.round(bytes) },
          `market ${marketId}: strategy ${quoted.strategy.name} remembers about ${bytesText(bytes)}, and ${bytesText(MEMORY_BYTES_MAX)} is a lot; it is measured every ${deskTiming.memoryEveryMs / 1000} s, and each doubling is logged`,
        );
      }
    }
  }
}

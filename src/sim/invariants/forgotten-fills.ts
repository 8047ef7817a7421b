// Which fills only a read of the account can show to the daemon: those that its ledger forgot when it was set back, and those of orders
// that it forgot, while no stream brings it the frames. Public trades name such orders by ids that mean nothing to it.

import type { EventBatch } from "../../devnet/chain/block-maker.ts";
import { fillsOf } from "../../domain/fill.ts";
import type { AccountId, OrderId } from "../../domain/units.ts";

export type ForgottenFillsModules = {
  readonly account: AccountId;
  /** What the account has traded so far, by the exchange. */
  readonly lifetimeVolume: () => bigint;
  /** The name of the order went with the ledger. */
  readonly isLost: (orderId: OrderId) => boolean;
  /** A process lives, and its stream is open. */
  readonly isHeard: () => boolean;
};

export class ForgottenFills {
  readonly #modules: ForgottenFillsModules;
  /** The account's lifetime volume right after the last of them; 0: there are none. */
  #volume = 0n;

  constructor(modules: ForgottenFillsModules) {
    this.#modules = modules;
  }

  setBack(): void {
    this.#volume = this.#modules.lifetimeVolume();
  }

  observe({ events }: EventBatch): void {
    const { account, lifetimeVolume, isLost, isHeard } = this.#modules;
    if (isHeard()) return;
    for (const event of events) {
      if (event.type !== "Fill") continue;
      if (fillsOf(event.execution, account).some(({ orderId }) => isLost(orderId))) this.#volume = lifetimeVolume();
    }
  }

  /** Whether a read of that lifetime volume has them all. */
  areIn(lifetimeVolume: bigint): boolean {
    return lifetimeVolume >= this.#volume;
  }
}

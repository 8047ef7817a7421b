// The parts of a simulated world, for its observers and actors.

import type { AccountId, MarketId, Size } from "../domain/units.ts";
import type { SkewedClock, VirtualClock } from "../kernel/virtual-clock.ts";
import type { Daemon } from "./daemon.ts";
import type { SimulatedDisk } from "./disk.ts";
import type { SimulatedExchange } from "./exchange.ts";
import type { NetworkFaults } from "./faults/network-faults.ts";
import type { OrderWatch } from "./order-watch.ts";
import type { Trace } from "./trace.ts";
import type { WatchdogMachine } from "./watchdog-machine.ts";
import type { WorldConfig } from "./world-config.ts";

export type Scene = {
  /** The bot's account. */
  readonly account: AccountId;
  readonly markets: readonly MarketId[];
  readonly worldConfig: WorldConfig;
  readonly clock: VirtualClock;
  readonly trace: Trace;
  readonly exchange: SimulatedExchange;
  readonly networkFaults: NetworkFaults;
  /** The wall clock of the bot's machine. */
  readonly machine: SkewedClock;
  readonly disk: SimulatedDisk;
  readonly daemon: Daemon;
  readonly watch: OrderWatch;
  /** Null: there is no watchdog. */
  readonly watchdog: WatchdogMachine | null;
  /** The largest position limit under which a decision in flight may have been made. */
  readonly maxPosition: (marketId: MarketId) => Size | null;
  /** Whether a text contains a private key. */
  readonly showsSecret: (text: string) => boolean;
};

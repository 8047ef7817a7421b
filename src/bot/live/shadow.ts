// What a daemon needs of its markets' shadows: other strategies on paper beside those that trade. They run outside the bot's wing
// (src/paper/shadows.ts), where the exchange is that they trade on.

import type { OutsideEvent } from "../../domain/event.ts";
import type { OwnOrders } from "../../domain/others-book.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";
import type { BotConfig } from "../config/config.ts";
import type { MarketStatus } from "../dashboard/status.ts";

/** `stopped`: by its own fault, or it could not start. `halted`: by its limits, as it would have been live. */
export type ShadowPhase = "starting" | "running" | "halted" | "stopped";

export type Shadow = {
  readonly strategy: string;
  readonly phase: ShadowPhase;
  /** Why it does not run, a clause; null: it does. */
  readonly reason: string | null;
  /** As in a daemon's status; null before it has one. */
  readonly status: MarketStatus | null;
};

/** What a shadow takes from the desk beside it. */
export type Beside = {
  /** Orders of the account in the market's book: without them others would be in their place. */
  readonly own: (account: AccountId, market: MarketId) => OwnOrders;
  /** What the market taught, as the ledger keeps it; null: nothing yet. */
  readonly estimates: (account: AccountId, market: MarketId) => string | null;
};

export type Shadows = {
  /** From now on only the shadows of this configuration run. */
  readonly follow: (config: BotConfig, beside: Beside) => void;
  /** Null: the market has none. */
  readonly of: (account: AccountId, market: MarketId) => Shadow | null;
  /** An outside fact that the bot beside them has heard. */
  readonly hear: (event: OutsideEvent) => void;
  /** Never rejects. */
  readonly close: () => Promise<void>;
};

export const noShadows: Shadows = { follow: () => {}, of: () => null, hear: () => {}, close: () => Promise.resolve() };

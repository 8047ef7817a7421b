// What a daemon asks of the shadows of its markets: other strategies on paper beside those that trade. They run outside the bot's wing
// (src/paper/shadows.ts), since an exchange to trade on is there.

import type { OwnOrders } from "../../domain/others-book.ts";
import type { AccountId, MarketId } from "../../domain/units.ts";
import type { BotConfig } from "../config/config.ts";
import type { MarketStatus } from "../dashboard/status.ts";

/** `stopped`: by a fault of its own, or it could not start. `halted`: by its limits, as it would have been live. */
export type ShadowPhase = "starting" | "running" | "halted" | "stopped";

export type Shadow = {
  readonly strategy: string;
  readonly phase: ShadowPhase;
  /** Why it does not run, a clause; null: it does. */
  readonly reason: string | null;
  /** As a daemon's status shows it; null before it has one. */
  readonly status: MarketStatus | null;
};

/** What a shadow takes from the desk beside it. */
export type Beside = {
  /** Orders of the account that rest in the market's book: others would be there in their place. */
  readonly own: (account: AccountId, market: MarketId) => OwnOrders;
  /** What the market taught, as the ledger keeps it; null: nothing yet. */
  readonly estimates: (account: AccountId, market: MarketId) => string | null;
};

export type Shadows = {
  /** From now on those of this configuration run, and no others. */
  readonly follow: (config: BotConfig, beside: Beside) => void;
  /** Null: the market has none. */
  readonly of: (account: AccountId, market: MarketId) => Shadow | null;
  /** Never rejects. */
  readonly close: () => Promise<void>;
};

export const noShadows: Shadows = { follow: () => {}, of: () => null, close: () => Promise.resolve() };

// The bot's configuration after every check: exact values, absolute paths, strategies loaded and their parameters checked.

import type { Dialect } from "../../domain/dialect.ts";
import type { QueueModel } from "../../domain/queue.ts";
import type { AccountId, MarketId, Usdc } from "../../domain/units.ts";
import type { AccountLimits, MarketLimits } from "../risk/limits/limits.ts";
import type { LoadedStrategy } from "../strategy/loader.ts";
import type { PremiumSettings } from "../strategy/premium.ts";
import type { PrintTimes } from "../strategy/print-times.ts";
import type { LogLevel } from "../telemetry/log-level.ts";
import type { WebhookFormat } from "../telemetry/webhook-shapes.ts";
import type { Setting } from "./setting.ts";

export type VenueConfig = {
  readonly chainId: string;
  readonly live: boolean;
  readonly tooManyRequestsMeans: TooManyRequestsMeaning;
  /**
   * So long after its timestamp, by the chain's clock, a transaction can no longer land. The interface shows no tolerance; this is the
   * assumed 60 s (NS-29) and half as much again for clocks that disagree.
   */
  readonly landingBoundMs: number;
  /**
   * A read of an account may show the state of so long before it was asked (S4.2: it carries neither height nor time). What is missing
   * from one that was asked later than this after the last change is gone; before, it says nothing.
   */
  readonly readLagMaxMs: number;
  /** What the file says of it; null where it is silent. It stands against what was learned. */
  readonly dialect: Dialect;
} & (
  | { readonly kind: "remote"; readonly validatorUrl: string; readonly wsUrl: string; readonly restUrl: string | null }
  /** The exchange runs inside this process. */
  | { readonly kind: "embedded" }
);

/** What HTTP 429 means for a transaction: not executed, by assumption, or perhaps executed and to be fenced (NS-26). */
export const tooManyRequestsMeanings = ["rejected", "unknown"] as const;
export type TooManyRequestsMeaning = (typeof tooManyRequestsMeanings)[number];

export type QuotedMarket = {
  readonly marketId: MarketId;
  readonly strategy: LoadedStrategy;
  readonly limits: MarketLimits;
  /** Null: no position is held for the premium. */
  readonly premiumBook: PremiumSettings | null;
  /** When its index prints; null: as the exchange tells. */
  readonly printSchedule: PrintTimes | null;
  /** How far orders may be from their quotes and stay, in depths at which fills are e times fewer. */
  readonly requoteDepths: number;
  /** How many ticks further behind its quote one at the front of its queue may be. */
  readonly queueTicks: number;
  /** Null: none. The hash is of what trades, so that a shadow which changes leaves that alone. */
  readonly shadow: ShadowConfig | null;
  /** First 12 hex digits of a hash over strategy, parameters and limits, and what else it quotes by. */
  readonly hash: string;
};

/** Another strategy for the same market, beside the one that trades: its orders are filled on paper, and nothing of it is sent. */
export type ShadowConfig = PaperConfig & { readonly strategy: LoadedStrategy };

/** An account whose orders never leave the process: they are filled by a simulated matching beside the real book. */
export type PaperConfig = {
  readonly collateral: Usdc;
  readonly queueModel: QueueModel;
  /** How long an order is under way, ms. */
  readonly latencyMs: number;
};

export type QuotedAccount = {
  readonly accountId: AccountId;
  /** Null: an account of the exchange. */
  readonly paper: PaperConfig | null;
  /** Null with an embedded devnet, where the run creates a key and approves it, and on paper. */
  readonly agentKeyFile: string | null;
  readonly formerKeyFiles: readonly string[];
  readonly watchdogKeyFile: string | null;
  readonly foreignOrders: ForeignOrders;
  /** Of the smallest `maxLoss` of the account and its markets: what may be lost while the daemon is away. */
  readonly maxAwayLossRatio: number;
  readonly limits: AccountLimits;
  readonly markets: readonly QuotedMarket[];
};

/** Without the accounts on paper, of which the exchange knows nothing. */
export const withoutPaper = <Config extends { readonly accounts: readonly Pick<QuotedAccount, "paper">[] }>(
  config: Config,
): Config => ({ ...config, accounts: config.accounts.filter(({ paper }) => paper === null) });

/** What becomes of orders on the account that we did not make. Found while the bot runs they halt the account either way. */
export const foreignOrderPolicies = ["keep", "cancel"] as const;
export type ForeignOrders = (typeof foreignOrderPolicies)[number];

export type WatchdogConfig = {
  /** The daemon counts as dead after so long without a completed turn. */
  readonly silenceMs: number;
  readonly pollMs: number;
  /** Where the watchdog reaches the daemon's HTTP; null: where the daemon listens. */
  readonly daemonUrl: string | null;
  /** Where the watchdog's own `/livez` listens; port null: nowhere. */
  readonly host: string;
  readonly port: number | null;
};

export type ServerConfig = {
  readonly host: string;
  readonly port: number;
  /** The file with the token that every POST needs; null: in a private folder, since no ledger's file stands beside it. */
  readonly tokenFile: string | null;
  /** Names by which the daemon is reached, besides IP addresses and localhost. */
  readonly hosts: readonly string[];
};

/** Where critical events go. */
export type WebhookConfig = { readonly url: string; readonly format: WebhookFormat; readonly secretFile: string };

export type FleetConfig = {
  readonly databaseUrlFile: string;
  readonly node: string;
  readonly leaseMs: number;
  /** Files with keys of other nodes, for a flush fence alone. */
  readonly fenceKeys: readonly string[];
};

export type BotConfig = {
  readonly file: string;
  readonly venue: VenueConfig;
  readonly accounts: readonly QuotedAccount[];
  readonly server: ServerConfig;
  readonly watchdog: WatchdogConfig;
  readonly ledger: {
    /** Null: each run has its own, beside an embedded devnet, which keeps nothing either. */
    readonly file: string | null;
    /** The file goes with the process: nothing of it needs to survive a loss of power. */
    readonly isOfRun?: boolean;
    readonly archiveAfterDays: number;
    readonly maxBytes: number;
  };
  /** Null: nothing is recorded. `maxBytes`: of all files in the folder. */
  readonly recording: { readonly folder: string; readonly maxBytes: number } | null;
  /** Null: one process, one machine. */
  readonly fleet: FleetConfig | null;
  readonly log: { readonly level: LogLevel };
  readonly webhook: WebhookConfig | null;
  /** What stands for the file's values at these paths. */
  readonly settings: readonly Setting[];
  /** First 12 hex digits of a hash over the whole configuration as written. */
  readonly hash: string;
};

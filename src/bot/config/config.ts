// The bot's configuration after all checks: exact values, absolute paths, strategies loaded and their parameters checked.

import type { Dialect } from "../../domain/dialect.ts";
import type { QuotedSignal } from "../../domain/outside.ts";
import type { UsualQueueModel } from "../../domain/queue.ts";
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
   * This long after its timestamp, by the chain's clock, a transaction can no longer execute. The interface gives no tolerance: this is the
   * assumed 60 s (NS-29) plus half for clocks that disagree.
   */
  readonly landingBoundMs: number;
  /**
   * A read of an account may show the state of this long before the request (S4.2: it has neither height nor time). If a read was sent
   * later than this after the last change, what it lacks is gone; otherwise it proves nothing about what it lacks.
   */
  readonly readLagMaxMs: number;
  /** The file's values; null if it has none. They override what was learned. */
  readonly dialect: Dialect;
} & (
  | { readonly kind: "remote"; readonly validatorUrl: string; readonly wsUrl: string; readonly restUrl: string | null }
  /** The exchange runs inside this process. */
  | { readonly kind: "embedded" }
);

/** Meaning of HTTP 429 for a transaction: not executed, by assumption, or maybe executed, so that it must be fenced (NS-26). */
export const tooManyRequestsMeanings = ["rejected", "unknown"] as const;
export type TooManyRequestsMeaning = (typeof tooManyRequestsMeanings)[number];

export type QuotedMarket = {
  readonly marketId: MarketId;
  readonly strategy: LoadedStrategy;
  readonly limits: MarketLimits;
  /** Null: no premium position. */
  readonly premiumBook: PremiumSettings | null;
  /** When its index prints; null: as the exchange says. */
  readonly printSchedule: PrintTimes | null;
  /** Outside facts that its fair value may use, in the order in which each is judged given those before it. */
  readonly signals: readonly QuotedSignal[];
  /** How far orders may be from their quotes without being moved, in depths over which the fill rate falls by the factor e. */
  readonly requoteDepths: number;
  /** How many more ticks behind its quote an order at the front of its queue may be. */
  readonly queueTicks: number;
  /** Null: none. The hash covers only the trading part, so a changed shadow does not affect it. */
  readonly shadow: ShadowConfig | null;
  /** Gates that count as open, to see on a recording what they are worth. Never in a file. */
  readonly openedGates?: readonly string[];
  /** First 12 hex digits of a hash over strategy, parameters, limits and other quoting settings. */
  readonly hash: string;
};

/** Another strategy for the same market, in parallel to the trading one: its orders fill on paper, and none are sent. */
export type ShadowConfig = PaperConfig & { readonly strategy: LoadedStrategy };

/** An account whose orders never leave the process: they are matched in a simulation next to the real book. */
export type PaperConfig = UsualQueueModel & {
  readonly collateral: Usdc;
  /** The account names none: a recording with enough fills has a better one. */
  readonly isUsualModel?: boolean;
  /** Latency of an order, ms. */
  readonly latencyMs: number;
};

export type QuotedAccount = {
  readonly accountId: AccountId;
  /** Null: an account of the exchange. */
  readonly paper: PaperConfig | null;
  /** Null with an embedded devnet, where the run creates and approves a key, and on paper. */
  readonly agentKeyFile: string | null;
  readonly formerKeyFiles: readonly string[];
  readonly watchdogKeyFile: string | null;
  readonly foreignOrders: ForeignOrders;
  /** Share of the smallest `maxLoss` of the account and its markets that may be lost while the daemon is away. */
  readonly maxAwayLossRatio: number;
  readonly limits: AccountLimits;
  readonly markets: readonly QuotedMarket[];
};

/** Without paper accounts, which the exchange does not know. */
export const withoutPaper = <Config extends { readonly accounts: readonly Pick<QuotedAccount, "paper">[] }>(
  config: Config,
): Config => ({ ...config, accounts: config.accounts.filter(({ paper }) => paper === null) });

/** Handling of orders on the account that we did not make. If found while the bot runs, they halt the account in any case. */
export const foreignOrderPolicies = ["keep", "cancel"] as const;
export type ForeignOrders = (typeof foreignOrderPolicies)[number];

export type WatchdogConfig = {
  /** The daemon counts as dead after this long without a completed turn. */
  readonly silenceMs: number;
  readonly pollMs: number;
  /** URL of the daemon's HTTP for the watchdog; null: where the daemon listens. */
  readonly daemonUrl: string | null;
  /** Where the watchdog's own `/livez` listens; port null: nowhere. */
  readonly host: string;
  readonly port: number | null;
};

export type ServerConfig = {
  readonly host: string;
  readonly port: number;
  /** The file with the token for POST requests; null: in a private folder, because there is no ledger file to put it next to. */
  readonly tokenFile: string | null;
  /** Whether reads need a token on loopback too. */
  readonly requireTokenForReads: boolean;
  /** Names of the daemon's host, besides IP addresses and localhost. */
  readonly hosts: readonly string[];
};

/** Where critical events are sent. */
export type WebhookConfig = {
  readonly url: string;
  readonly format: WebhookFormat;
  readonly secretFile: string;
  /** Null: the daemon's own address. */
  readonly pageUrl: string | null;
};

export type FleetConfig = {
  readonly databaseUrlFile: string;
  readonly node: string;
  readonly leaseMs: number;
  /** Files with keys of other nodes, only for a flush fence. */
  readonly fenceKeys: readonly string[];
};

/** A signal whose values come from outside the exchange. */
export type SignalSource = {
  readonly name: string;
  readonly maxAgeMs: number;
} & (
  | { readonly kind: "push" }
  | {
      readonly kind: "file";
      readonly file: string;
      /** Oldest first. */
      readonly rows: readonly SignalRow[];
    }
);

/** A value of a file; `publishedMs`: when it became known, Unix ms. */
export type SignalRow = { readonly publishedMs: number; readonly value: number };

export type BotConfig = {
  readonly file: string;
  readonly venue: VenueConfig;
  readonly accounts: readonly QuotedAccount[];
  readonly server: ServerConfig;
  readonly watchdog: WatchdogConfig;
  readonly ledger: {
    /** Null: each run has its own, with an embedded devnet, which keeps nothing either. */
    readonly file: string | null;
    /** The file is deleted with the process: it need not survive a loss of power. */
    readonly isOfRun?: boolean;
    readonly archiveAfterDays: number;
    readonly maxBytes: number;
  };
  /** Null: no recording. `maxBytes`: for all files in the folder. */
  readonly recording: { readonly folder: string; readonly maxBytes: number } | null;
  /** Default queue model of everything that trades on paper. */
  readonly usualModel?: UsualQueueModel;
  /** Outside facts that this process receives. */
  readonly signals: readonly SignalSource[];
  /** Null: one process, one machine. */
  readonly fleet: FleetConfig | null;
  readonly log: { readonly level: LogLevel };
  readonly webhook: WebhookConfig | null;
  /** Replacements for the file's values at these paths. */
  readonly settings: readonly Setting[];
  /** First 12 hex digits of a hash over the whole configuration as written. */
  readonly hash: string;
};

// The bot's configuration file as one schema: what a person writes, before the files that it names are read.

import { z } from "zod";
import { type DialectKey, type DialectWord, dialectWords } from "../../domain/dialect.ts";
import { EXPONENT_MAX, queueBounds } from "../../domain/queue.ts";
import * as s from "../../domain/scalars.ts";
import { refused } from "../../kernel/shown.ts";
import { accountLimitsSchema, marketLimitsSchema } from "../risk/limits/limits.ts";
import { premiumSchema } from "../strategy/premium.ts";
import { printTimesSchema } from "../strategy/print-times.ts";
import { LOG_LEVELS } from "../telemetry/log-level.ts";
import { webhookFormats } from "../telemetry/webhook-shapes.ts";
import { foreignOrderPolicies, tooManyRequestsMeanings } from "./config.ts";
import { signalName, signalSchema } from "./signals.ts";

export const httpUrl = s.url("an http or https URL", /^https?:\/\/[^\s/?#]+(\/[^\s?#]*)?$/);
const wsUrl = s.url("a ws or wss URL", /^wss?:\/\/[^\s/?#]+(\/[^\s?#]*)?$/);
const file = s.path("a path, relative to this file");

/** One word of the exchange's dialect; null if the file has none. YAML reads `404` as a number. */
function word<K extends DialectKey>(key: K, says: string) {
  const words = dialectWords[key] as readonly DialectWord<K>[];
  const numbers = words.flatMap((each) => (/^\d+$/.test(each) ? Number(each) : []));
  const error = (issue: { readonly input?: unknown }) => `${refused(issue.input)}must be one of ${words.join(", ")}`;
  return z
    .literal([...words, ...numbers], { error })
    .optional()
    .describe(`${says}; default: learned`)
    .transform((written) => words.find((each) => each === `${written}`) ?? null);
}

const dialect = s.strict({
  modifyPrice: word("modifyPrice", "what new_price of a modify sets: the order's price"),
  modifySize: word(
    "modifySize",
    "what new_size of a modify sets: the order's whole size, or what remains of it; none: modifies are not understood, so that orders are canceled and placed instead",
  ),
  cancel: word(
    "cancel",
    "what proves that an order is canceled: an event, in the answer or in a frame; or only its absence from the lists of open orders",
  ),
  rowSize: word("rowSize", "what size of a listed order is, where its row does not say what was filled"),
  emptyList: word("emptyList", "how a list of orders or positions is answered when it is empty"),
  budget: word("budget", "whether the account's rate limit counts our own transactions; none: it is no budget"),
});

const venue = s.strict({
  chainId: s.text("the chain id that every transaction is signed for"),
  validatorUrl: httpUrl.optional().describe("the validator's HTTP address"),
  wsUrl: wsUrl.optional().describe("default: validatorUrl with ws or wss and /v1/ws"),
  restUrl: httpUrl.optional().describe("the hosted REST API; the bot trades without it"),
  embedded: file.optional().describe("a devnet configuration: the exchange runs inside this process, instead of URLs"),
  tooManyRequestsMeans: s
    .choice(tooManyRequestsMeanings)
    .default("rejected")
    .describe("what HTTP 429 means for a transaction; unknown: it may have executed and is fenced")
    .meta({ danger: "rejected, where the exchange may have executed it, hides an order for seconds" }),
  landingBoundMs: s
    .whole(10_000, 3_600_000, "milliseconds")
    .default(90_000)
    .describe(
      "how long after its timestamp, in milliseconds, a transaction may still be executed; above the exchange's timestamp tolerance",
    )
    .meta({ danger: "below the exchange's tolerance a lost order may still be executed after it was given up" }),
  readLagMaxMs: s
    .whole(50, 60_000, "milliseconds")
    .default(3000)
    .describe(
      "how far, in milliseconds, a read of an account may lag behind the exchange: an order that it lacks counts as gone only after that; doctor --live-test measures it",
    )
    .meta({ danger: "below what the exchange's reads lag, an order that rests may count as gone" }),
  dialect: dialect.optional().describe("what the exchange's interface does not show, as `quoin probe` found it"),
  live: s.flag
    .default(false)
    .describe("required for a chain id that is not a devnet's")
    .meta({ danger: "true sends orders to a real exchange" }),
});

export const strategyName = s.text(
  "a file in strategies/, without its extension, or the path of a .ts file, relative to this file",
  new RegExp(String.raw`^(?:[^/\\${s.CONTROLS}]{1,64}|[^${s.CONTROLS}]{1,200}\.ts)$`, "u"),
);

const exponent = s.fraction(-EXPONENT_MAX, EXPONENT_MAX, "a place's exponent");
const queueModel = z
  .union(
    [
      s.choice(queueBounds),
      s.strict({
        fitted: s
          .strict({
            exponent: exponent.describe("large: leavers stood in front, 0: anywhere, below 0: behind"),
            ci95: z
              .tuple([exponent, exponent], { error: "must be two exponents" })
              .describe("holds 95 % of the fits to parts of the session"),
            fills: s.whole(0, 1e12, "fills").describe("how many fills of yours it was fitted to"),
          })
          .describe("as `quoin reconcile` prints it"),
      }),
    ],
    { error: "must be riskAverse, optimistic or { fitted: … } as `quoin reconcile` prints it" },
  )
  .optional();

export const paperSchema = s.strict({
  collateral: s.amountUsdc
    .prefault("100000")
    .describe("what the account begins with; `paper: true` stands for these defaults"),
  queueModel: queueModel.describe(
    "riskAverse: what leaves a level without a trade stood behind our order; optimistic: before it; { fitted: … } as `quoin reconcile` prints it; default: queueModel at the top",
  ),
  latencyMs: s.whole(0, 60_000, "milliseconds").default(200).describe("how long an order is under way"),
});

const params = z
  .record(z.string(), z.unknown(), { error: () => "must be a mapping of the strategy's parameters" })
  .default({})
  .describe("the strategy's own, listed in docs/strategies.md");

const market = s.strict({
  marketId: s.marketNumber.describe("as the exchange numbers it"),
  strategy: strategyName,
  params,
  requoteDepths: s
    .fraction(0, 100, "multiples of 1 / k")
    .default(0.1)
    .describe(
      "how far an order may be from its quote and keep its place in the queue, in depths at which fills are e times fewer (1 / k, estimated), at least a tick; a basis point while k is unknown",
    ),
  queueTicks: s
    .whole(0, 100, "ticks")
    .default(0)
    .describe(
      "how many ticks beyond requoteDepths, away from the other side, an order may be and keep its place while at most a tenth of its own size is ahead of it in the queue",
    ),
  limits: marketLimitsSchema,
  printSchedule: printTimesSchema
    .optional()
    .describe(
      "when the index prints, where that is known better than from validUntil, which names the next print; default: from validUntil",
    ),
  signals: s
    .list(signalName, "signals")
    .default([])
    .describe(
      "outside facts, by name, that the fair value may use; each moves it by a weight that its past earned, from 0 on; each is judged by what those before it leave",
    ),
  premiumBook: premiumSchema
    .optional()
    .describe(
      "a position held for funding and the market's premium, with capital and loss limit of its own; default: none",
    ),
  shadow: s
    .strict({ strategy: strategyName, params, ...paperSchema.shape })
    .optional()
    .describe(
      "another strategy beside this one, on paper, by the same limits; `quoin promote` makes it the one that trades",
    ),
});

export const accountSchema = s.strict({
  accountId: s.accountNumber.describe("the account, or subaccount, that is traded"),
  paper: z
    .preprocess((written) => (written === true ? {} : written === false ? undefined : written), paperSchema.optional())
    .describe("true, or its settings: no key, no order, no account read; fills are simulated beside the real book")
    .meta({ orFlag: true }),
  agentKeyFile: file
    .optional()
    .describe("64 hex characters, mode 0600; with an embedded devnet a key is created and approved automatically"),
  formerKeyFiles: s
    .list(file, "key files")
    .default([])
    .describe("keys that the agent key has replaced, used for nothing but to fence what they signed before a crash"),
  watchdogKeyFile: file.optional().describe("the watchdog's own agent key"),
  foreignOrders: s
    .choice(foreignOrderPolicies)
    .default("keep")
    .describe("orders on the account that Quoin did not make; found while it runs they halt it either way")
    .meta({ danger: "cancel also cancels what a person placed by hand" }),
  maxAwayLossRatio: s
    .fraction(0, 1000, "a ratio")
    .default(0.5)
    .describe(
      "what the account may lose while the daemon is away, as a share of the smallest maxLoss of it and its markets; more halts it",
    )
    .meta({ danger: "higher lets more pass" }),
  limits: accountLimitsSchema.prefault({}).describe("over the account's markets"),
  markets: s.list(market, "markets", 1),
});

export const botSchema = s.strict({
  venue,
  accounts: s.list(accountSchema, "accounts", 1),
  server: s
    .strict({
      host: s
        .text("an address to listen on", /^[0-9A-Za-z.:-]{1,255}$/)
        .default("127.0.0.1")
        .meta({ danger: "beyond loopback, whoever has the token can halt and resume" }),
      port: s.whole(0, 65_535, "a port").default(9464).describe("0: any free one"),
      tokenFile: file
        .optional()
        .describe(
          "the administrator's token, made at the first start; default: admin.token beside the ledger; required beyond loopback",
        ),
      requireTokenForReads: s.flag
        .default(false)
        .describe("reads need a token on loopback too, but for /livez, /readyz, /heartbeat and /metrics"),
      hosts: s
        .list(s.text("a host name, without a port", /^[0-9A-Za-z._-]{1,253}$/), "host names")
        .default([])
        .describe("names by which the daemon is reached, besides IP addresses and localhost"),
    })
    .prefault({}),
  watchdog: s
    .strict({
      silenceMs: s
        .whole(1000, 3_600_000, "milliseconds")
        .default(10_000)
        .describe("milliseconds without a completed turn of the daemon, after which the watchdog cancels everything")
        .meta({ danger: "higher leaves orders of a dead daemon resting longer" }),
      pollMs: s.whole(50, 60_000, "milliseconds").default(250).describe("milliseconds between two looks at the daemon"),
      daemonUrl: httpUrl.optional().describe("where the watchdog reaches the daemon's HTTP; default: where it listens"),
      host: s
        .text("an address to listen on", /^[0-9A-Za-z.:-]{1,255}$/)
        .default("127.0.0.1")
        .describe("where the watchdog's own /livez listens"),
      port: s
        .whole(0, 65_535, "a port")
        .optional()
        .describe("of the watchdog's own /livez; 0: any free one; default: none is served"),
    })
    .prefault({}),
  ledger: s
    .strict({
      file: file
        .optional()
        .describe("default: var/quoin.sqlite; with an embedded devnet in a private folder, gone with the daemon"),
      archiveAfterDays: s
        .fraction(0.001, 3650, "days")
        .default(7)
        .describe("fills, funding, prints and transfers older than that go to the archive beside the ledger"),
      maxBytes: s
        .whole(2 ** 20, 2 ** 40, "bytes")
        .default(2 ** 30)
        .describe("largest ledger file; nothing adds risk while less than a sixteenth of it, or 16 MiB, is free"),
    })
    .prefault({}),
  recording: s
    .strict({
      folder: file.describe("where files are written that `quoin replay` reads; made where it is missing"),
      maxBytes: s
        .whole(2 ** 20, 2 ** 50, "bytes")
        .default(20 * 2 ** 30)
        .describe("of all recordings in the folder; the oldest files are removed beyond it"),
    })
    .optional()
    .describe("every event and decision, for `quoin replay`; without it nothing is recorded"),
  signals: s
    .list(signalSchema, "signals")
    .default([])
    .describe("outside facts, each of one source; a market uses those that it names"),
  queueModel: queueModel.describe(
    "of paper accounts, shadows and backtests in a recording that say none, as theirs; a fit of fewer than 200 fills counts as riskAverse; default: riskAverse, or the fit of a recording with 200 fills of yours",
  ),
  fleet: s
    .strict({
      databaseUrlFile: file.describe("the fleet's PostgreSQL: a file with a postgres:// URL, mode 0600"),
      node: s
        .text("a node's name: letters, digits, _ and -", /^[0-9A-Za-z_-]{1,63}$/)
        .describe("this node's own name; it stands for {node} in agentKeyFile"),
      leaseMs: s
        .whole(1000, 600_000, "milliseconds")
        .default(5000)
        .describe("milliseconds that a node holds an account without a word from it"),
      fenceKeys: s
        .list(file, "key files")
        .default([])
        .describe("keys of other nodes, used for nothing but a flush fence at a takeover"),
    })
    .optional()
    .describe("for `quoin fleet`: accounts shared by many machines; without it nothing changes"),
  webhook: s
    .strict({
      url: s
        .url("an http or https URL", /^https?:\/\/[^\s/?#]+[^\s#]*$/)
        .describe("where critical events are posted, as JSON with X-Quoin-Signature"),
      secretFile: file.describe("one line, mode 0600: the key of the signature; of PagerDuty the routing key"),
      format: s.choice(webhookFormats).default("json").describe("the shape of the body"),
      pageUrl: httpUrl
        .optional()
        .describe(
          "where the reader of an event reaches the page, for its link to halt; left out, the daemon's own address",
        ),
    })
    .optional(),
  log: s
    .strict({
      level: s.choice(LOG_LEVELS).default("info").describe("debug also logs every denial and every turn that acted"),
    })
    .prefault({}),
});

export type WrittenBot = z.output<typeof botSchema>;

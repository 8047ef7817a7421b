// The laws of the house as tables: who may import whom, which package lives where, and what only a named file may touch.
// A new folder, package or home is a line here with its reason; the rules that read these tables are in rules.ts.

const shared = ["kernel", "domain"] as const;
/** The bot's durations: every part of its wing may see them, and nothing else has any. */
const timing = "bot/timing.ts";
/** The bot's wing: each part sees the shared words, hardly one another part; they meet in service/. */
const botParts = [
  "bot/venue",
  "bot/market",
  "bot/account",
  "bot/accounting",
  "bot/strategy",
  "bot/risk",
  "bot/execution",
  "bot/ledger",
  "bot/analytics",
  "bot/telemetry",
  "bot/dashboard",
  "bot/config",
  "bot/fleet",
  "bot/recording",
];

/**
 * What each area of src may import: a top folder (or file), and of the bot's wing each part. An entry is a folder, a file, or `type`
 * and either, for types alone. The same table stands in src/README.md for readers, and a test compares their areas.
 */
export const mayImport: Readonly<Record<string, readonly string[]>> = {
  kernel: [],
  look: [],
  report: ["kernel", "look"],
  domain: ["kernel"],
  "index-files": [...shared],
  wire: [...shared],
  client: [...shared, "wire"],
  [timing]: ["kernel", "client/stream/heartbeat.ts"],
  "bot/venue": [...shared, timing, "wire", "client/stream"],
  "bot/market": [...shared, timing],
  "bot/account": [...shared, timing, "bot/accounting", "bot/market"],
  "bot/strategy": [...shared, timing],
  "bot/risk": [...shared, timing],
  // The mass cancel is one reducer, for watchdog and commands too.
  "bot/execution": [
    ...shared,
    timing,
    "wire",
    "bot/venue/port.ts",
    "bot/decider/acting/mass-cancel.ts",
    "type bot/risk",
  ],
  "bot/ledger": [...shared, timing, "bot/accounting"],
  "bot/accounting": [...shared, timing],
  "bot/fleet": [...shared, timing, "bot/ledger/store.ts", "bot/venue/port.ts"],
  "bot/recording": [...shared, timing, "type bot/config", "type bot/decider"],
  "bot/analytics": [...shared, timing],
  "bot/telemetry": [...shared, timing],
  "bot/report": [...shared, timing, "report", "bot/ledger", "bot/accounting", "bot/analytics", "bot/risk/latches.ts"],
  "bot/dashboard": [...shared, timing, "look", "type bot/telemetry"],
  // A part names its own options; config/ puts them together.
  "bot/config": [
    ...shared,
    timing,
    "index-files",
    "bot/strategy",
    "bot/risk/limits/limits.ts",
    "bot/telemetry/log-level.ts",
    "bot/telemetry/webhook-shapes.ts",
  ],
  // Nothing of it carries out: of what does, it knows types, and the rows that a ledger gives.
  "bot/decider": [
    ...shared,
    timing,
    "bot/market",
    "bot/account",
    "bot/accounting",
    "bot/strategy",
    "bot/risk",
    "bot/analytics",
    "bot/ledger/pnl-by-span.ts",
    "bot/ledger/rebuild.ts",
    "bot/config/market-hash.ts",
    "type bot/config",
    "type bot/dashboard",
    "type bot/ledger",
    "type bot/venue",
  ],
  "bot/live": [...shared, timing, "wire", "type client/stream", ...botParts, "bot/decider", "bot/service"],
  "bot/service": [...shared, timing, "wire", "type client/stream", ...botParts, "bot/decider", "bot/live"],
  devnet: [...shared, "index-files", "look", "wire"],
  jobs: ["kernel", "bot/fleet/database.ts"],
  paper: [...shared, "wire", "client/stream", "bot", "devnet"],
  "configuration.ts": ["kernel", "bot/config", "devnet/config"],
  sim: [...shared, "wire", "client/stream", "bot", "devnet", "jobs"],
  backtest: [...shared, "report", "wire", "bot", "devnet", "configuration.ts", "jobs", "paper", "sim"],
  host: ["kernel"],
  daemon: [...shared, "wire", "client/stream", "host", "bot", "devnet", "configuration.ts", "paper"],
  cli: [
    ...shared,
    "index-files",
    "report",
    "wire",
    "client/stream",
    "host",
    "bot",
    "devnet",
    "configuration.ts",
    "jobs",
    "paper",
    "sim",
    "backtest",
    "daemon",
  ],
  "command-line.ts": ["kernel", "host", "cli"],
  "main.ts": ["host", "command-line.ts"],
  "start.js": [],
};

/** Rooms with one door: the file through which everything outside of the folder sees it. */
export const doors: Readonly<Record<string, string>> = {
  "src/bot/account/orders/": "src/bot/account/orders/orders.ts",
};

/** The one door through which strategies/ sees the house. */
export const strategyDoor = "src/bot/strategy/public.ts";

/** Where the program begins: what none of these reaches is dead. Strategies are loaded by name, with their tests, the page and the report's script by a browser. */
export const entryPoints: readonly string[] = [
  "src/start.js",
  "src/main.ts",
  "src/client/public.ts",
  "src/bot/strategy/testing.ts",
  "src/bot/dashboard/page/page.js",
  "src/bot/dashboard/page/fleet.js",
  "src/report/browser/report.js",
  "strategies/*.ts",
];

/** Packages and the folders that may import them: one home each, so one place to change when a package goes. */
export const packageHomes: Readonly<Record<string, readonly string[]>> = {
  "@modelcontextprotocol/sdk": ["src/cli/mcp/"],
  "@noble/ed25519": ["src/wire/"],
  // They run in a browser: as modules that the daemon serves from their packages, or inside of a report.
  htm: ["src/bot/dashboard/page/"],
  "lightweight-charts": ["src/look/", "src/bot/dashboard/page/", "src/report/browser/"],
  preact: ["src/bot/dashboard/page/"],
  commander: ["src/command-line.ts", "src/cli/"],
  "csv-parse": ["src/kernel/csv.ts"],
  fflate: ["src/backtest/recorded/npz.ts", "src/backtest/recorded/feed-lines.ts"],
  "hyparquet-writer": ["src/bot/ledger/"],
  "p-queue": ["src/bot/execution/", "src/bot/live/lines.ts"],
  pg: ["src/bot/fleet/"],
  "pg-boss": ["src/jobs/"],
  pino: ["src/bot/telemetry/"],
  "prom-client": ["src/bot/telemetry/"],
  ws: ["src/bot/venue/remote/", "src/devnet/api/"],
  yaml: ["src/kernel/yaml/"],
  zod: [
    "src/kernel/yaml/fault.ts",
    "src/kernel/yaml/partial-parse.ts",
    "src/domain/scalars.ts",
    "src/cli/mcp/",
    "src/bot/config/",
    "src/bot/risk/limits/limits.ts",
    "src/bot/strategy/",
    "src/bot/decider/desks/kept-adverse.ts",
    "src/devnet/config/",
    "strategies/",
  ],
};

/** Something that only its homes may touch, found as text in code or as a module that is imported. */
export type Ban = {
  readonly what: string;
  readonly instead: string;
  readonly code?: RegExp;
  /** Modules of Node by specifier, ours by path. */
  readonly modules?: readonly string[];
  /** Types of these modules may be imported anywhere. */
  readonly admitsTypes?: boolean;
  /** File or folder (with a slash at its end) to the reason why it is allowed there. */
  readonly homes: Readonly<Record<string, string>>;
  /** Where the ban holds; everywhere in src and strategies unless said. */
  readonly within?: readonly string[];
};

const browserPage = { "src/bot/dashboard/page/": "runs in the browser of whoever looks" };

export const bans: readonly Ban[] = [
  {
    what: "the ambient clock",
    instead: "take a Clock as an argument",
    code: /\bDate\s*\.\s*now\b|\bnew\s+Date\s*\(\s*\)|(?<!new\s+)\bDate\s*\(|\bperformance\s*\.\s*(?:now|timeOrigin)\b|\bprocess\s*\.\s*(?:hrtime|uptime)\b|\bTemporal\s*\.\s*Now\b/,
    modules: ["node:perf_hooks"],
    homes: {
      "src/kernel/clock.ts": "the system clock behind the Clock interface",
      "src/daemon/process/heap-watch.ts": "hears of collections of garbage, and asks no clock",
      ...browserPage,
    },
  },
  {
    what: "an ambient timer",
    instead: "take a Clock as an argument and wait on it",
    code: /\b(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b|\bAbortSignal\s*\.\s*timeout\b|\bprocess\s*\.\s*nextTick\b/,
    modules: ["node:timers", "node:timers/promises"],
    homes: { "src/kernel/clock.ts": "the system clock behind the Clock interface", ...browserPage },
  },
  {
    what: "randomness",
    instead: "take a seeded Prng, or entropy for keys, as an argument",
    code: /\bMath\s*\.\s*random\b|\b(?:randomBytes|randomInt|randomUUID|randomFill|randomFillSync|getRandomValues|generateKeyPair|generateKeyPairSync|randomSecretKey)\b/,
    homes: { "src/kernel/entropy.ts": "the system's entropy, for keys and for seeds that nobody gave" },
  },
  {
    what: "the process and its environment",
    instead: "take what is needed as an argument",
    code: /\bprocess\s*\.\s*(?!version\b|versions\b|platform\b|arch\b|nextTick\b)\w+|=\s*process\b(?!\s*\.)|\bglobalThis\b/,
    modules: ["node:process", "node:os", "node:child_process", "node:cluster", "node:worker_threads"],
    homes: {
      "src/main.ts": "hands argv, streams and the exit code to the command",
      "src/start.js": "starts the runtime",
      "src/host/process.ts": "signals, streams and the exit code of a command",
      "src/host/process-list.ts": "which processes of the machine started this one",
      "src/jobs/job-workers.ts": "starts the threads that run worlds and backtests",
      "src/daemon/process/call-watch.ts": "the thread that sees a call which does not return",
      "src/daemon/process/end-hung.ts": "ends the process of that call",
      "src/daemon/process/heap-watch.ts": "what the process keeps after its garbage is collected",
      "src/daemon/ledger/questions.ts": "the thread that reads the ledger for questions over HTTP",
      "src/daemon/configuration/thread.ts": "the thread that reads a configuration and tries its strategies",
      "src/daemon/configuration/reader.ts": "the processor time of that thread, which a strategy is held to",
      "src/kernel/node-http.ts": "Node's HTTP, without what an import of it loads",
      "src/bot/strategy/ambient.ts": "takes clocks, randomness and the process from whatever is tried",
    },
  },
  {
    what: "a duration",
    instead: "say it in src/bot/timing.ts, with its reason",
    code: /(?:\b(?:[A-Z\d]+_)*(?:MS|SECS?)(?:_[A-Z]+)*\s*=|(?<!Per)(?:Ms|Secs?)\s*[:=]|\b[a-zA-Z]*[tT]imeout\s*:|\b(?:every|sleep|emptyWindow)\s*\((?:\w+,)?)\s*[1-9][\d_]*\b(?!\s*(?:\*\s*[a-z]|\/))/,
    homes: {
      "src/bot/timing.ts": "holds them all",
      "src/bot/analytics/markouts.ts": "a horizon of a markout is its duration",
      "src/bot/strategy/plain-view.ts": "a view as data",
      ...browserPage,
    },
    within: ["src/bot/"],
  },
  {
    what: "a network server",
    instead: "serve in devnet/api or telemetry/http",
    code: /\bcreateServer\b|\bWebSocketServer\b/,
    homes: {
      "src/devnet/api/": "the exchange's listeners",
      "src/bot/telemetry/http.ts": "the daemon's listener",
      "src/kernel/node-http.ts": "hands it on",
      "src/daemon/machine-lock.ts": "a name that one process holds; it serves nothing",
      "src/cli/drill/cut-proxy.ts": "the cable that a drill pulls",
    },
  },
  {
    what: "the network",
    instead: "go through the venue port",
    code: /(?<![.\w])(?:fetch|WebSocket|EventSource)\s*\(/,
    modules: [
      "node:http",
      "src/kernel/node-http.ts",
      "node:https",
      "node:http2",
      "node:net",
      "node:tls",
      "node:dgram",
      "node:dns",
      "node:dns/promises",
    ],
    homes: {
      "src/bot/venue/remote/": "speaks to an exchange",
      "src/client/": "speaks to an exchange, for programs of others",
      "src/devnet/api/": "is the exchange",
      "src/bot/telemetry/http.ts": "the daemon's listener",
      "src/bot/telemetry/connections.ts": "which of its connections goes",
      "src/daemon/running/ask-daemon.ts": "commands ask a running daemon",
      "src/daemon/webhook.ts": "posts critical events",
      "src/daemon/machine-lock.ts": "a name that one process holds; it serves nothing",
      "src/cli/drill/": "a drill's exchange, and the cable that is pulled",
      ...browserPage,
    },
  },
  {
    what: "an import of node:http for more than its types",
    instead: "take it from kernel/node-http.ts, since the import costs each start 35 ms",
    modules: ["node:http"],
    admitsTypes: true,
    homes: {},
  },
  {
    what: "the disk",
    instead: "take the content, or a store, as an argument",
    modules: ["node:fs", "node:fs/promises", "node:sqlite"],
    homes: {
      "src/host/process-list.ts": "reads what Linux tells of processes",
      "src/host/process.ts": "a scratch folder for a drill's processes; names of the program's own files",
      "src/bot/ledger/sqlite/sqlite.ts": "the ledger's one writer",
      "src/bot/ledger/sqlite/archive.ts": "the file beside it, for old rows",
      "src/bot/ledger/sqlite/files.ts": "syncing their logs",
      "src/bot/ledger/sqlite/write-ahead.ts": "what is about to be sent, in one write",
      "src/bot/ledger/sqlite/place.ts": "looks whether its files are still there",
      "src/bot/ledger/sqlite/reserve.ts": "room kept free on their disk",
      "src/bot/recording/files.ts": "recordings, written off the loop",
      "src/bot/recording/reader.ts": "reads them",
      "src/bot/fleet/outbox-file.ts": "records on their way to the fleet's database",
      "src/kernel/yaml/files.ts": "reads and watches configuration",
      "src/kernel/folder.ts": "makes the folders of ledgers and chains",
      "src/kernel/locking.ts": "locks, and what SQLite needs of a file system",
      "src/bot/dashboard/page-files.ts": "reads the page that the daemon serves",
      "src/look/files.ts": "reads the look, and packages for a browser",
      "src/report/embed.ts": "reads the report's script and style",
      "src/devnet/chain/log/store.ts": "the devnet's snapshots",
      "src/daemon/history-file.ts": "the page's history, beside the ledger",
      "src/daemon/ledger/start-ledger.ts": "the folder of a ledger that goes with its daemon",
      "src/daemon/paper-accounts.ts": "what paper accounts hold, beside the ledger",
      "src/kernel/private-file.ts": "keys, tokens and secrets, after checking who may read them",
      "src/backtest/run-files.ts": "keeps finished runs and writes the report",
      "src/backtest/screen/tape-cache.ts": "keeps the markets of seeds for screenings",
      "src/daemon/process/end-hung.ts": "writes the last lines of a process whose main thread hangs",
      "src/daemon/process/call-watch.ts": "reads how long the system let the trading thread wait for a processor",
      "src/start.js": "looks for the pinned runtime",
    },
  },
  {
    what: "code chosen at run time",
    instead: "import it by name at the top",
    code: /\bimport\s*\(\s*[^"'\s]|\beval\s*\(|\bnew\s+Function\s*\(/,
    modules: ["node:vm", "node:module"],
    homes: {
      "src/bot/strategy/loader.ts": "strategies are loaded by name or path",
      "src/bot/strategy/module-texts.ts": "strategies are swapped while running, and find quoin/strategy",
      "src/start.js": "has the runtime keep what it compiled",
    },
  },
  {
    what: "waiting between View and Approved",
    instead: "decide on the facts at hand: a recorded stream must replay to the same commands",
    code: /\b(?:async|await|Promise)\b/,
    within: [
      "src/domain/",
      "src/bot/risk/",
      "src/bot/decider/turns/turn.ts",
      "src/bot/strategy/plan.ts",
      "strategies/",
    ],
    homes: {},
  },
  {
    what: "the type any",
    instead: "say unknown and decode it",
    code: /(?<!\.\s*)\bany\b(?!\s*\()/,
    homes: {},
  },
];

/** Lines of a file: one below `smallBelow` may be a piece of its neighbor, one beyond `longBeyond` may be two concepts. */
export const sizes = { smallBelow: 60, longBeyond: 500, purposeLinesMax: 5 } as const;

/** Files beyond `longBeyond` lines, and why each is one concept. */
export const longFiles: Readonly<Record<string, string>> = {};

/** Files below `smallBelow` lines that one neighbor alone imports, and why each is a concept of its own all the same. */
export const concepts: Readonly<Record<string, string>> = {
  "src/backtest/screen/others-side.ts": "one side of the others' book, and what we took of it",
  "src/backtest/screen/sent.ts": "commands on their way, and what orders may be meanwhile",
  "src/paper/link.ts": "a transport to an exchange in this process",
  "src/backtest/recorded/informed.ts": "which takers know more than the market",
  "src/backtest/recorded/reach-fit.ts": "the law of takers with intervals by leaving out stretches",
  "src/devnet/chain/listeners.ts": "who is told of one kind of event, in order",
  "src/bot/service/operator/push-signal.ts": "what a push says, read strictly",
  "src/index-files/delimiter.ts": "what parts the cells of a file",
  "src/client/amounts.ts": "decimals of people as units of the wire",
  "src/bot/venue/remote/web-socket.ts": "the package ws as a socket of the stream",
  "src/devnet/api/routes/markets.ts": "the routes of markets and of the exchange itself",
  "src/devnet/api/reference/asyncapi.ts": "the other document, beside OpenAPI",
  "src/devnet/api/routes/devnet-reads.ts": "the routes that the interface does not name",
  "src/kernel/heap.ts": "a binary heap",
  "src/bot/service/lifecycle/strategy-memory.ts": "how large the memory of each strategy is, and when that is said",
  "strategies/fixed-spread.ts": "a strategy, one file each",
  "src/bot/decider/sends/request-count.ts": "whether the exchange counts transactions at all",
  "src/bot/decider/configure.ts": "a change of the configuration, at its desk",
  "src/bot/decider/acting/ownership.ts": "whose orders rest on an account",
  "src/bot/execution/open-intents.ts": "what earlier runs left open, sorted",
  "src/bot/execution/transactions.ts": "a command as the transaction that it becomes",
  "src/cli/fleet-run.ts": "a command, one file each",
  "src/cli/trades.ts": "a command, one file each",
  "src/cli/pnl.ts": "a command, one file each",
  "src/cli/mcp/untrusted.ts": "which words an agent must not obey",
  "src/bot/dashboard/page/proposals.js": "what waits for a person's decision",
  "src/bot/service/lifecycle/audit-head.ts": "when log and webhook get the newest hash of the audit",
  "src/cli/job-threads.ts": "what a worker's thread runs",
  "src/bot/fleet/lease.ts": "what a node knows of its lease, pure",
  "src/bot/dashboard/notes.ts": "changes as sentences",
  "src/bot/dashboard/page/account.js": "one account, beside its markets",
  "src/bot/dashboard/page/menus.js": "when a menu closes",
  "src/bot/ledger/sqlite/place.ts": "whether an open ledger still lies where it was",
  "src/bot/telemetry/connections.ts": "which connection goes when another comes",
  "src/bot/decider/turns/clip.ts": "what fits beside what may have been filled",
  "src/bot/decider/turns/answered.ts": "what a strategy wants, after fills that lost",
  "src/backtest/screen/known.ts": "what the bot of a screening knows of a market",
  "src/bot/decider/channel-activity.ts": "which channels are alive",
  "src/sim/faults/drain.ts": "an operator takes a market out while requests get lost",
  "src/sim/faults/withdrawal.ts": "an owner who takes the collateral away",
  "src/sim/faults/word-faults.ts": "faults of what the exchange says of height and time",
  "src/sim/invariants/halts.ts": "which halts have a reason in a world",
  "src/sim/invariants/owners-orders.ts": "the law on the owner's orders",
  "src/sim/faults/order-answers.ts": "an exchange that takes no order",
  "src/sim/faults/lies.ts": "reads of the account that are wrong",
  "src/sim/invariants/own-event-line.ts": "what the trace says of an event of the account",
  "src/bot/report/terms.ts": "what the figures of a live period mean",
  "src/report/scale.ts": "numbers to places in a picture",
  "src/report/embed.ts": "what the report holds inside, under its policy",
  "src/backtest/report/terms.ts": "what the figures of the report mean",
  "src/backtest/report/one-clock.ts": "runs of different lengths at the same moments",
  "src/cli/drill/cut-proxy.ts": "a cable that can be pulled",
  "src/cli/drill/exchange.ts": "which exchange a configuration is drilled against",
};

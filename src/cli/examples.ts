// Examples below the help of each command.

import { isAbsolute, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { commandText, shellWord } from "../kernel/typed-command.ts";

const demo = fileURLToPath(new URL("../../config/demo.yaml", import.meta.url));
const DEMO = `--config ${shellWord(pathHere(demo))}`;

/** A path below this folder begins here. */
function pathHere(absolute: string): string {
  const path = relative("", absolute);
  return path.startsWith("..") || isAbsolute(path) ? absolute : path;
}

const steps: readonly (readonly [words: string, what: string])[] = [
  [`run ${DEMO}`, "the demo: exchange and bot in one process"],
  ["init --out quoin.yaml", "a configuration and a key of your own"],
  ["doctor", "what is still missing"],
  ["strategy new my/own.ts", "a strategy of your own, to run on paper"],
  ["drill", "rehearses failures: lost answers, outages, full disks"],
  ["run", "starts the daemon"],
];

const widest = Math.max(...steps.map(([words]) => words.length));

export const firstSteps = `
First steps:
${steps.map(([words, what]) => `  $ ${commandText(words.padEnd(widest))}  ${what}\n`).join("")}
Commands read quoin.yaml in this folder, the file that QUOIN_CONFIG names, or --config FILE.
${commandText("COMMAND --help")} shows options and examples.`;

const examples: Readonly<Record<string, readonly string[]>> = {
  run: ["run", `run ${DEMO}`],
  devnet: ["devnet", "devnet --port 0 --rest-port 0 --control-port 0", "devnet --data-dir var/chain"],
  check: ["check", "check --online"],
  doctor: ["doctor", "doctor --live-test", "doctor --json | jq 'select(.ok | not)'"],
  init: [
    "init --out quoin.yaml",
    "init --out quoin.yaml --yes --validator-url https://validator.example.com --account 12 --live",
  ],
  drill: ["drill", "drill --only cutNetwork --only kill9"],
  probe: ["probe --write", "probe --out seen.yaml", "probe --no-order"],
  risk: ["risk", "risk --json"],
  preview: ["preview --config new.yaml", "preview --config new.yaml --json"],
  proposals: ["proposals", "proposals --all --json"],
  approve: ["approve 3-9f2c41d07ab6"],
  refuse: ["refuse 3-9f2c41d07ab6"],
  mcp: ["mcp", "mcp --propose"],
  promote: ["promote --account 12 --market 1"],
  strategy: ["strategy new my/own.ts"],
  keygen: ["keygen --out agent.key"],
  status: ["status", "status --json"],
  top: ["top", `NO_COLOR=1 ${commandText("top")}`],
  cancel: ["cancel --account 12 --order 345"],
  "cancel-all": ["cancel-all"],
  halt: [`halt --reason "bad news"`, `halt --reason "odd book" --market 1`],
  reduce: [`reduce --reason "over the weekend"`],
  resume: [`resume --reason "it was the index"`, `resume --reason "seen" --latch loss`],
  flatten: ["flatten --max-slippage-bps 50"],
  trades: [
    "trades",
    "trades --from 2026-11-01 --market 1 --format csv --out november.csv",
    "trades --format beancount --out quoin.beancount",
  ],
  pnl: ["pnl", "pnl --by month --format parquet --out pnl.parquet"],
  report: ["report --from 2026-11-01 --out november.html", "report --json"],
  ledger: ["ledger verify", "ledger export --table fills --format csv > fills.csv"],
  fleet: ["fleet init", "fleet run", "fleet status --json", "fleet halt", "fleet drain --node b"],
  token: [`curl -H "Authorization: Bearer $(${commandText("token")})" -d '{}' http://127.0.0.1:9464/halt`],
  watchdog: ["watchdog"],
  simulate: ["simulate --seeds 100", "simulate --seeds 1 --seed 42 --trace", "simulate --seeds 2000 --queue"],
  reconcile: ["reconcile var/recordings", "reconcile var/recordings --json"],
  ablate: ["ablate var/recordings", "ablate var/recordings --json"],
  export: [
    "export var/recordings --format parquet --out tables",
    "export var/recordings --format hftbacktest --market 1 --out market-1.npz",
  ],
  import: [
    "import AAPL_2012-06-21_34200000_57600000_message_10.csv AAPL_2012-06-21_34200000_57600000_orderbook_10.csv --out var/aapl",
    "import book.csv.gz trades.csv.gz --from tardis --out var/tardis",
  ],
  calibrate: [
    "calibrate var/recordings",
    "calibrate --prints index.csv --series 5826765",
    "calibrate --prints index.csv --signal listings.csv",
  ],
  backtest: [
    `backtest ${DEMO} --days 0.05 --seeds 2`,
    `backtest ${DEMO} --recording var/recordings`,
    `backtest ${DEMO} --days 1 --set accounts.12.markets.1.params.halfSpreadBps=4,8 --report sweep.html`,
    `backtest ${DEMO} --world config/worlds.yaml --days 0.05 --seeds 4`,
    "backtest --days 30 --seeds 200 --queue --resume sweep.jsonl",
  ],
  tune: [
    `tune ${DEMO} --param accounts.12.markets.1.params.halfSpreadBps=1..12 --days 0.25 --seeds 5`,
    "tune --param accounts.12.markets.1.params.halfSpreadBps --recording var/recordings --report tuned.html",
    "tune --param accounts.12.markets.1.params.size=0.1..20 --budget 2h --resume tune --out tuned.yaml",
  ],
  replay: ["replay var/recordings", "replay var/recordings --config other.yaml --json"],
  worker: ["worker", "worker --workers 8"],
  completion: ["completion bash > ~/.local/share/bash-completion/completions/quoin", "completion fish | source"],
};

/** Empty for a command without examples. A line that begins with another program is printed as it is. */
export function examplesOf(command: string): string {
  const lines = (examples[command] ?? []).map(
    (line) => `  $ ${/^(curl|NO_COLOR)/.test(line) ? line : commandText(line)}\n`,
  );
  return lines.length === 0 ? "" : `\n${lines.length === 1 ? "Example" : "Examples"}:\n${lines.join("")}`;
}

// What stands below the help of each command: how it is typed.

export const firstSteps = `
First steps:
  $ npm start                                     the demo: exchange and bot in one process
  $ npx quoin init --out my/quoin.yaml            a configuration and a key of your own
  $ npx quoin doctor --config my/quoin.yaml       what is still missing
  $ npx quoin strategy new my/own.ts              a strategy of your own, to run on paper
  $ npx quoin drill --config my/quoin.yaml        rehearses failures: lost answers, outages, full disks
  $ npx quoin run --config my/quoin.yaml

quoin COMMAND --help shows options and examples.`;

const CONFIG = "--config quoin.yaml";

const examples: Readonly<Record<string, readonly string[]>> = {
  run: [`run ${CONFIG}`, "run --config config/demo.yaml"],
  devnet: ["devnet", "devnet --port 0 --rest-port 0 --control-port 0", "devnet --data-dir var/chain"],
  check: [`check ${CONFIG}`, `check ${CONFIG} --online`],
  doctor: [`doctor ${CONFIG}`, `doctor ${CONFIG} --live-test`, `doctor ${CONFIG} --json | jq 'select(.ok | not)'`],
  init: [
    "init --out quoin.yaml",
    "init --out quoin.yaml --yes --validator-url https://validator.example.com --account 12 --live",
  ],
  drill: [`drill ${CONFIG}`, `drill ${CONFIG} --only cutNetwork --only kill9`],
  probe: [`probe ${CONFIG} --write`, `probe ${CONFIG} --out seen.yaml`, `probe ${CONFIG} --no-order`],
  risk: [`risk ${CONFIG}`, `risk ${CONFIG} --json`],
  preview: ["preview --config new.yaml", "preview --config new.yaml --json"],
  promote: [`promote ${CONFIG} --account 12 --market 1`],
  strategy: ["strategy new my/own.ts"],
  keygen: ["keygen --out agent.key"],
  status: [`status ${CONFIG}`, `status ${CONFIG} --json`],
  top: [`top ${CONFIG}`, `NO_COLOR=1 quoin top ${CONFIG}`],
  "cancel-all": [`cancel-all ${CONFIG}`],
  halt: [`halt ${CONFIG} --reason "bad news"`, `halt ${CONFIG} --reason "odd book" --market 1`],
  reduce: [`reduce ${CONFIG} --reason "over the weekend"`],
  resume: [`resume ${CONFIG} --reason "it was the index"`, `resume ${CONFIG} --reason "seen" --latch loss`],
  flatten: [`flatten ${CONFIG} --max-slippage-bps 50`],
  trades: [`trades ${CONFIG}`, `trades ${CONFIG} --from 2026-11-01 --market 1 --format csv --out november.csv`],
  pnl: [`pnl ${CONFIG}`, `pnl ${CONFIG} --by month --format parquet --out pnl.parquet`],
  report: [`report ${CONFIG} --from 2026-11-01 --out november.html`, `report ${CONFIG} --json`],
  ledger: [`ledger verify ${CONFIG}`, `ledger export ${CONFIG} --table fills --format csv > fills.csv`],
  fleet: [
    `fleet init ${CONFIG}`,
    `fleet run ${CONFIG}`,
    `fleet status ${CONFIG} --json`,
    `fleet halt ${CONFIG} --reason "bad news"`,
    `fleet drain ${CONFIG} --node b`,
  ],
  token: [
    `curl -H "Authorization: Bearer $(quoin token ${CONFIG})" -d '{"reason":"a test"}' http://127.0.0.1:9464/halt`,
  ],
  watchdog: [`watchdog ${CONFIG}`],
  simulate: ["simulate --seeds 100", "simulate --seeds 1 --seed 42 --trace", `simulate --seeds 2000 --queue ${CONFIG}`],
  reconcile: ["reconcile var/recordings", "reconcile var/recordings --json"],
  import: [
    "import AAPL_2012-06-21_34200000_57600000_message_10.csv AAPL_2012-06-21_34200000_57600000_orderbook_10.csv --out var/aapl",
  ],
  calibrate: ["calibrate var/recordings", "calibrate --prints index.csv --series 5826765"],
  backtest: [
    "backtest --config config/demo.yaml --days 1 --seeds 4",
    "backtest --config config/demo.yaml --recording var/recordings",
    "backtest --config config/demo.yaml --days 1 --set accounts.12.markets.1.params.halfSpreadBps=4,8 --report sweep.html",
    `backtest ${CONFIG} --days 30 --seeds 200 --queue --resume sweep.jsonl`,
  ],
  replay: ["replay var/recordings", "replay var/recordings --config other.yaml --json"],
  worker: [`worker ${CONFIG}`, `worker ${CONFIG} --workers 8`],
  completion: ["completion bash > ~/.local/share/bash-completion/completions/quoin", "completion fish | source"],
};

/** Empty where there is none. A line that begins with another program stands as it is. */
export function examplesOf(command: string): string {
  const lines = (examples[command] ?? []).map(
    (line) => `  $ ${/^(curl|NO_COLOR)/.test(line) ? "" : "quoin "}${line}\n`,
  );
  return lines.length === 0 ? "" : `\n${lines.length === 1 ? "Example" : "Examples"}:\n${lines.join("")}`;
}

// The text of a new configuration: few keys, each with a comment on its meaning.

import { commandText } from "../../kernel/typed-command.ts";
import type { Answers } from "./questions.ts";

export type NewConfig = {
  readonly answers: Required<Answers>;
  /** Relative to the file. */
  readonly keyFile: string;
  /** Null: none is published. */
  readonly schema: string | null;
  /** Written only for a chain that is not a devnet's. */
  readonly live: boolean;
  readonly port: number;
  /** A sentence on what size the market carries. Null: unknown. */
  readonly carries: string | null;
};

export function configText({ answers, keyFile, schema, live, port, carries }: NewConfig): string {
  const { validatorUrl, chainId, account, market, strategy, maxPosition, maxOrderSize, maxLoss } = answers;
  const size = rounded(Number(maxOrderSize) / 2);
  const inventory = rounded(Number(maxPosition) * 0.75);
  const params =
    strategy === "fixed-spread"
      ? `{ halfSpreadBps: 10, size: ${size}, levels: 2, stepBps: 5, maxInventory: ${inventory} }`
      : `{ size: ${size}, levels: 2, maxInventory: ${inventory} }`;
  return `${schema === null ? "" : `# yaml-language-server: $schema=${schema}\n`}# Written by quoin init. Prices are USD, sizes contracts, amounts USDC. Check it with: ${commandText("doctor --config FILE")}

venue:
  chainId: ${quoted(chainId)} # must equal the exchange's, else the daemon sends nothing
  validatorUrl: ${quoted(validatorUrl)}
${live ? "  live: true # this is not a devnet: real money\n" : ""}
accounts:
  - accountId: ${account} # an account or subaccount of its own
    agentKeyFile: ${quoted(keyFile)} # mode 0600; its public key is approved by the account's owner
    # watchdogKeyFile: watchdog.key # a second agent key, only for the watchdog
    markets:
      - marketId: ${market}
        strategy: ${strategy} # docs/strategies.md lists every parameter
${carries === null ? "" : `        # ${carries}\n`}        params: ${params}
        limits: # no strategy can pass them
          maxPosition: ${maxPosition} # contracts, if every order of one side filled
          maxOrderSize: ${maxOrderSize} # contracts
          maxOpenOrders: 20 # orders
          maxLoss: ${maxLoss} # USDC in a day; then the market halts until an operator resumes it. Which move of the price that is: ${commandText("risk --config FILE")}

server: { host: 127.0.0.1, port: ${port} } # page, metrics and health
ledger: { file: var/quoin.sqlite } # what must survive a restart
log: { level: info }
`;
}

const rounded = (value: number): number => Number(value.toFixed(6));
const quoted = (text: string): string => JSON.stringify(text);

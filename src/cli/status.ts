// `quoin status`: shows each account as the exchange and, if one runs, the daemon report it.

import { withoutPaper } from "../bot/config/config.ts";
import type { EmergencyAccount, EmergencyConfig } from "../bot/config/emergency.ts";
import type { Venue } from "../bot/venue/port.ts";
import { otherChain, reachVenue } from "../daemon/reach-venue.ts";
import { askStatus, findDaemon } from "../daemon/running/ask-daemon.ts";
import { type Account, unreadableText } from "../domain/account.ts";
import { contractsOf, usdcOf, usdOf } from "../domain/rounding.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, endWith, type Host } from "../host/host.ts";
import { messageOf } from "../kernel/errors.ts";
import { printable } from "../kernel/printable.ts";
import { countText } from "../kernel/text.ts";
import { haltLines } from "./ledger.ts";
import { readForEmergency } from "./read-config.ts";
import { frameOf } from "./top/frame.ts";

const COLUMNS = 80;

/** Exit 1 when an account cannot be read, or neither the exchange nor a daemon answers. */
export async function status(
  options: { readonly config: string; readonly json: boolean },
  host: Host,
): Promise<ExitCode> {
  const config = readForEmergency(options.config, host);
  if (config === undefined) return EXIT_USAGE;
  const venue = reachVenue(config, host);
  try {
    const other = venue === null ? undefined : await otherChain(config, venue);
    if (other !== undefined) return endWith(EXIT_USAGE, other, host);
    const asked = await findDaemon(config, host);
    const daemon = await askStatus(asked);
    const accounts =
      venue === null
        ? []
        : await Promise.all(withoutPaper(config).accounts.map((account) => readAccount(account, venue)));
    const halts = daemon === undefined ? haltsFor(config, host) : [];
    if (options.json) host.stdout(`${JSON.stringify({ accounts, daemon: daemon ?? null, halts })}\n`);
    else {
      for (const account of accounts) host.stdout(`${describe(account)}\n`);
      const lines =
        daemon === undefined
          ? [`no daemon answers at ${asked.url}`]
          : frameOf(daemon, "", { columns: COLUMNS, color: false, config: config.file });
      host.stdout(
        `${daemon === undefined ? "" : "daemon: "}${[...lines, ...halts.map((line) => printable(line))].join("\n")}\n`,
      );
    }
    const isKnown = accounts.length > 0 || daemon !== undefined;
    return isKnown && accounts.every((account) => "collateralUsdc" in account) ? EXIT_DONE : EXIT_FAILED;
  } finally {
    await venue?.close();
  }
}

/** Halts in the ledger, which hold the next daemon too. */
function haltsFor({ file: config, ledger: { file } }: EmergencyConfig, { files }: Host): readonly string[] {
  if (file === null || !files.exists(file)) return [];
  try {
    return haltLines(file, config);
  } catch (error) {
    return [`whether a halt holds cannot be read: ${messageOf(error)}`];
  }
}

type Shown = { readonly accountId: string } & (ReturnType<typeof shown> | { readonly error: string });

async function readAccount({ accountId }: EmergencyAccount, venue: Venue): Promise<Shown> {
  try {
    return { accountId: `${accountId}`, ...shown(await venue.reads.account(accountId)) };
  } catch (error) {
    return { accountId: `${accountId}`, error: messageOf(error) };
  }
}

/** Values in USD and contracts. */
const shown = ({ collateral, availableCollateral, positions, openOrders, unreadable }: Account) => ({
  collateralUsdc: usdcOf(collateral),
  availableUsdc: availableCollateral === null ? null : usdcOf(availableCollateral),
  positions: positions.map(({ marketId, side, size, entryPrice, unrealizedPnl }) => ({
    marketId,
    side,
    contracts: contractsOf(size),
    entryUsd: usdOf(entryPrice),
    unrealizedUsdc: unrealizedPnl === null ? null : usdcOf(unrealizedPnl),
  })),
  orders: openOrders.map(({ orderId, marketId, side, price, remainingSize }) => ({
    orderId: `${orderId}`,
    marketId,
    side,
    usd: usdOf(price),
    contracts: contractsOf(remainingSize),
  })),
  unreadable: unreadable.map((item) => ({
    ...item,
    orderId: item.orderId === null ? null : `${item.orderId}`,
    text: unreadableText(item),
  })),
});

function describe(account: Shown): string {
  if ("error" in account) return printable(`account ${account.accountId}: cannot be read: ${account.error}`);
  const { accountId, collateralUsdc, availableUsdc, positions, orders, unreadable } = account;
  return [
    `account ${accountId}: collateral ${collateralUsdc} USDC, available ${availableUsdc === null ? "unknown" : `${availableUsdc} USDC`}, ${countText(orders.length, "open order")}`,
    ...positions.map(
      (p) =>
        `  market ${p.marketId}: ${p.side === "buy" ? "long" : "short"} ${p.contracts} at ${p.entryUsd}, unrealized PnL ${p.unrealizedUsdc === null ? "unknown" : `${p.unrealizedUsdc} USDC`}`,
    ),
    ...orders.map((o) => `  market ${o.marketId}: order ${o.orderId} ${o.side} ${o.contracts} at ${o.usd}`),
    ...unreadable.map(({ text }) => `  ${text}`),
  ].join("\n");
}

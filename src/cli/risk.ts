// `quoin risk`: shows the loss with every position at its limit, by scenario and account, the value at risk of the next prints, and the
// move from which each `maxLoss` acts. Reads the exchange and sends nothing.

import { type BotConfig, withoutPaper } from "../bot/config/config.ts";
import { DOUBT_DEVIATIONS } from "../bot/risk/prints.ts";
import { type KnownMarket, type MarketRisk, type RiskReport, riskLines, riskReport } from "../bot/risk/risk-report.ts";
import type { Scenario } from "../bot/risk/scenarios.ts";
import { sizeAdvice, sizeAdviceText } from "../bot/risk/size-advice.ts";
import { surpriseCorrelations } from "../bot/strategy/correlation.ts";
import { printDeviationBps } from "../bot/strategy/nowcast.ts";
import { isTailAssumed, TAIL_MOVES_MIN } from "../bot/strategy/tail-move.ts";
import { createLog } from "../bot/telemetry/log.ts";
import type { VenueReads } from "../bot/venue/port.ts";
import { ReadError } from "../bot/venue/port.ts";
import { reachVenue } from "../daemon/reach-venue.ts";
import type { Account } from "../domain/account.ts";
import { AMOUNT_SCALE, SIZE_SCALE, type Usdc, usdc } from "../domain/units.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, endWith, type Host } from "../host/host.ts";
import { formatDecimal } from "../kernel/decimal.ts";
import { countText } from "../kernel/text.ts";
import { startLocalExchange } from "./local-exchange.ts";
import { type MarketSizes, readMarketSizes } from "./market-sizes.ts";
import { readWhole } from "./read-config.ts";

export type RiskOptions = { readonly config: string; readonly json: boolean };

type QuotedAccount = BotConfig["accounts"][number];
type QuotedMarket = QuotedAccount["markets"][number];
/** A market's facts and what its past prints show. */
type Known = KnownMarket & Pick<MarketSizes, "nowcast" | "sizes">;

/** Exit 1 when the exchange cannot be read. */
export async function risk(options: RiskOptions, host: Host): Promise<ExitCode> {
  const configuration = await readWhole(options.config, host);
  if (configuration === undefined) return EXIT_USAGE;
  const { accounts } = withoutPaper(configuration.bot);
  if (accounts.length === 0) return endWith(EXIT_USAGE, "every account is on paper: nothing can be lost", host);
  const quiet = createLog("error", { write: host.stderr, terminal: host.terminal.stderr, wallMs: host.clock.wallMs });
  const local = await startLocalExchange(configuration, host, quiet);
  const venue = reachVenue(local?.reached ?? configuration.bot, host);
  if (venue === null) return EXIT_USAGE;
  try {
    for (const account of accounts) {
      const [read, ...known] = await Promise.all([
        venue.reads.account(account.accountId),
        ...account.markets.map((market) => knownOf(market, venue.reads)),
      ]);
      const report = reportOf(account, read, known);
      if (options.json) {
        for (const line of riskLines(report)) host.stdout(`${JSON.stringify(line)}\n`);
        continue;
      }
      tell(account, report, host);
      // A fresh exchange's book does not show what size a market carries.
      if (local === null) tellSizes(read, report, known, host);
    }
    return EXIT_DONE;
  } catch (error) {
    if (!(error instanceof ReadError)) throw error;
    return endWith(EXIT_FAILED, `the exchange cannot be asked: ${error.message}`, host);
  } finally {
    await venue.close();
    await local?.devnet.close();
  }
}

/** Rejects with ReadError. */
async function knownOf({ marketId, limits }: QuotedMarket, reads: VenueReads): Promise<Known> {
  const [{ market, nowcast, sizes }, funding] = await Promise.all([
    readMarketSizes(marketId, reads),
    reads.funding(marketId),
  ]);
  const atLimit = {
    marketId,
    position: limits.maxPosition,
    price: market.oraclePrice,
    marginTiers: market.marginTiers,
    printDeviationBps: printDeviationBps(nowcast),
    tailMoveBps: sizes.tailMoveBps,
    isTailAssumed: isTailAssumed(nowcast),
    maxFundingRateBps: funding.maxFundingRateBps,
  };
  return { limits, atLimit, nowcast, sizes };
}

function reportOf(account: QuotedAccount, { positions, collateral }: Account, known: readonly Known[]): RiskReport {
  const equity = positions.reduce<bigint>((sum, { unrealizedPnl }) => sum + (unrealizedPnl ?? 0n), collateral);
  const correlations = surpriseCorrelations(known.map(({ nowcast }) => nowcast.dated));
  return riskReport(account, { equity: usdc(equity), known, correlations });
}

function tell({ accountId }: QuotedAccount, report: RiskReport, host: Host): void {
  host.stdout(
    `account ${accountId}: equity ${shown(report.equity)} USDC, every position at its limit, on the side that loses\n`,
  );
  host.stdout(`${row("", "loss, USDC", "margin ratio", "to liquidation, bps")}\n`);
  for (const scenario of report.scenarios) host.stdout(`${scenarioRow(scenario)}\n`);
  const assumed = report.isAssumed
    ? `, by the print deviation, until ${TAIL_MOVES_MIN} moves of each index are known`
    : "";
  host.stdout(
    `in 99 of 100 cases the next print of all markets together loses at most ${shown(report.valueAtRisk)} USDC${assumed}\n`,
  );
  for (const market of report.markets) host.stdout(`${lossLimitText(market)}\n`);
}

function tellSizes({ openOrders }: Account, { equity }: RiskReport, known: readonly Known[], host: Host): void {
  for (const { atLimit, sizes } of known) {
    const own = openOrders.filter(({ marketId }) => marketId === atLimit.marketId);
    host.stdout(`market ${atLimit.marketId}: ${sizeAdviceText(sizeAdvice({ ...sizes, own, equity }))}\n`);
  }
}

const shown = (of: Usdc): string => (Number(of) / 10 ** AMOUNT_SCALE).toFixed(2);

const row = (...[name = "", ...cells]: readonly string[]): string =>
  `  ${name.padEnd(38)}${cells.map((cell) => cell.padStart(22)).join("")}`;

const scenarioRow = (of: Scenario): string =>
  row(
    nameOf(of),
    shown(of.loss),
    of.marginRatio === null ? "no margin needed" : of.marginRatio.toFixed(2),
    of.liquidationDistanceBps === null
      ? "none"
      : of.liquidationDistanceBps === 0
        ? "LIQUIDATED"
        : `${of.liquidationDistanceBps}`,
  );

function nameOf({ scenario, deviations }: Scenario): string {
  if (deviations === null) return "one settlement of funding at its cap";
  const moves = `${deviations > 0 ? "+" : ""}${countText(deviations, "deviation")}`;
  return scenario === "printGap" ? `print of ${moves}` : `print an interval late, ${moves}`;
}

/** The move from which `maxLoss` acts, or the loss of the largest trusted print when no single one reaches it. */
function lossLimitText({
  marketId,
  position,
  maxLoss,
  actsAtBps,
  printDeviationBps,
  largestBelievedLoss,
}: MarketRisk): string {
  if (actsAtBps === null) return `market ${marketId}: no position fits into the limits`;
  const held = `${formatDecimal(position, SIZE_SCALE)} contracts`;
  const acts = `market ${marketId}: maxLoss ${formatDecimal(maxLoss, AMOUNT_SCALE)} acts once the price has moved ${actsAtBps} bps against ${held}`;
  const typical = `a print deviation is ${printDeviationBps.toFixed(1)} bps`;
  return maxLoss > largestBelievedLoss
    ? `${acts}; ${typical}. No single trusted print reaches it: the largest, of ${DOUBT_DEVIATIONS} deviations, loses ${shown(largestBelievedLoss)} USDC`
    : `${acts}; ${typical}`;
}

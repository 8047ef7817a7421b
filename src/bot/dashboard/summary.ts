// One line per market for a terminal: position, oracle price, quotes, PnL, and closed gates.

import type { MarketStatus, OrderLine, PremiumLine, Status } from "./status.ts";

/** If the bot is not ready, the reason comes first. */
export const summaryLines = ({ accounts, reasons }: Status): readonly string[] => [
  ...reasons.slice(0, 1).map((reason) => `not ready: ${reason}`),
  ...accounts.flatMap(({ markets }) => markets.map(marketLine)),
];

/** Why less is quoted than wanted: a line per market, or per side if they differ; empty if everything rests. */
export const lackLines = ({ accounts }: Status): readonly string[] =>
  accounts.flatMap(({ accountId, markets }) =>
    markets.flatMap(({ name, buy, sell }) => {
      const isSame = buy.sentence === sell.sentence;
      const reported = isSame
        ? [{ of: "sell and buy", ...buy }]
        : [
            { of: "buy", ...buy },
            { of: "sell", ...sell },
          ];
      return reported.flatMap(({ of, sentence }) =>
        sentence === null ? [] : `account ${accountId}, ${name}, ${of}: ${sentence}`,
      );
    }),
  );

function marketLine({ name, position, oraclePrice, bids, asks, pnl, pnlAtMid, premium, gates }: MarketStatus): string {
  const closed = gates.filter(({ open }) => !open).map(({ gate }) => gate);
  return [
    `${name} ${held(position)}`,
    `oracle ${usd(oraclePrice)}`,
    `quotes ${best(bids)}/${best(asks)}`,
    `PnL ${pnlText({ pnl, pnlAtMid })}`,
    ...(premium === null ? [] : [premiumText(premium)]),
    ...(closed.length === 0 ? [] : [`closed: ${closed.join(" ")}`]),
  ].join(", ");
}

/** `+2.70 print, +0.75 mid`, USDC. */
export const pnlText = ({ pnl, pnlAtMid }: Pick<MarketStatus, "pnl" | "pnlAtMid">): string =>
  `${gain(pnl.total)} print, ${gain(pnlAtMid.total)} mid`;

/** `premium book +1.500 of +3.000 contracts, PnL +0.75`. */
export const premiumText = ({ target, held, pnl, isStopped }: PremiumLine): string =>
  `premium book ${signed(held)} of ${signed(target)} contracts, PnL ${gain(pnl)}${isStopped ? ", STOPPED" : ""}`;

const signed = (contracts: number): string => `${contracts > 0 ? "+" : ""}${contracts.toFixed(3)}`;
const gain = (total: number): string => `${total >= 0 ? "+" : ""}${total.toFixed(2)}`;
const held = (contracts: number): string =>
  contracts === 0 ? "flat" : `${contracts > 0 ? "long" : "short"} ${Math.abs(contracts)}`;
const best = (orders: readonly OrderLine[]): string => usd(orders[0]?.price ?? null);
const usd = (value: number | null): string => (value === null ? "—" : value.toFixed(2));

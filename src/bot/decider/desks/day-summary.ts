// An account's day that ended, as a sentence and numbers for the log and the webhook.

import { AMOUNT_SCALE, type Usdc } from "../../../domain/units.ts";
import { formatDecimal } from "../../../kernel/decimal.ts";
import { countText, durationText } from "../../../kernel/text.ts";
import { pnlComponents } from "../../accounting/market-book.ts";
import { type DayFigures, dateOf } from "./day-bars.ts";

export type EndedDay = DayFigures & {
  readonly day: number;
  /** The day's largest drawdown as `maxDrawdown` measures it, and what tripped; both within this process run. */
  readonly drawdown: Usdc;
  readonly halts: number;
  /** Seconds with an order of ours on both sides, by market name; also within this run. */
  readonly quotedSeconds: ReadonlyMap<string, number>;
};

export function daySummary(account: string, ended: EndedDay): { readonly text: string; readonly summary: object } {
  const { day, print, mid, volume, fills, drawdown, halts, quotedSeconds } = ended;
  const date = dateOf(day);
  const sources = pnlComponents.filter((component) => component !== "total");
  const bySource = sources.map((component) => `${component} ${money(print[component])}`).join(", ");
  const quoted = [...quotedSeconds].map(([name, seconds]) => `${name} ${durationText(seconds * 1000)}`).join(", ");
  const text =
    `account ${account} on ${date} (UTC): ${countText(fills, "fill")}, volume ${money(volume)} USDC, ` +
    `PnL ${money(print.total)} print, ${money(mid.total)} mid (${bySource} at the print), drawdown ${money(drawdown)}, ` +
    `quoted on both sides ${quoted === "" ? "nowhere" : quoted}, ${countText(halts, "halt")}`;
  const pnl = (valuation: "print" | "mid") => ({
    valuation,
    ...Object.fromEntries(pnlComponents.map((component) => [component, exact(ended[valuation][component])])),
  });
  const summary = {
    date,
    fills,
    volume: exact(volume),
    pnl: [pnl("print"), pnl("mid")],
    drawdown: exact(drawdown),
    quotedSeconds: Object.fromEntries([...quotedSeconds].map(([name, seconds]) => [name, Math.round(seconds)])),
    halts,
  };
  return { text, summary };
}

const exact = (amount: Usdc): string => formatDecimal(amount, AMOUNT_SCALE);
const money = (amount: Usdc): string => (Number(amount) / 10 ** AMOUNT_SCALE).toFixed(2);

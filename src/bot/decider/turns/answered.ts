// Adjusts the strategy's quotes after adverse fills: further away, and smaller. Quotes that reduce the position stay as they are; on a
// stopped side the guard denies all others.

import { halfSpreadBps, type Quote, type Quotes } from "../../../domain/quotes.ts";
import { priceFromUsd, usdOf } from "../../../domain/rounding.ts";
import { size } from "../../../domain/units.ts";
import { lastKnown, type View } from "../../../domain/view.ts";
import type { Answer, Answers } from "../../risk/adverse.ts";
import { reducingSide } from "../../strategy/target-quotes.ts";

/** `usualBps`: the half-spread to use while only one side is quoted. */
export function answered(quotes: Quotes, answers: Answers, view: View, usualBps: number): Quotes {
  if (answers.buy.level === "none" && answers.sell.level === "none") return quotes;
  const halfSpread = halfSpreadBps(quotes) ?? usualBps;
  const reducing = reducingSide(lastKnown(view.position)?.inventory ?? null);
  return {
    ...quotes,
    quotes: quotes.quotes.flatMap((quote) => {
      const answer = answers[quote.side];
      if (answer.level === "none" || quote.reduceOnly || quote.intent === "take") return quote;
      if (quote.side === reducing) return answer.level === "stopped" ? { ...quote, reduceOnly: true } : quote;
      return moved(quote, answer, halfSpread, view);
    }),
  };
}

/** Empty where no valid price is left. */
function moved(quote: Quote, { widened, share }: Answer, halfSpread: number, view: View): Quote | readonly Quote[] {
  const tick = lastKnown(view.market)?.tickSize;
  if (tick === undefined) return [];
  const away = quote.side === "buy" ? -1 : 1;
  const usd = usdOf(quote.price) * (1 + (away * widened * halfSpread) / 10_000);
  if (!(usd > 0)) return [];
  return {
    ...quote,
    price: priceFromUsd(usd, tick, quote.side),
    size: size(BigInt(Math.ceil(Number(quote.size) * share))),
  };
}

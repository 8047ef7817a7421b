// A differing decision in words, or as exact text where words hide the difference.

import type { Command } from "../../../domain/command.ts";
import type { Quotes } from "../../../domain/quotes.ts";
import { contractsOf, usdOf } from "../../../domain/rounding.ts";
import { exactText } from "../../recording/exact-text.ts";
import type { Difference } from "./replay.ts";

export function differenceTexts({ field, recorded, replayed }: Pick<Difference, "field" | "recorded" | "replayed">): {
  readonly recorded: string;
  readonly replayed: string;
} {
  const words = (value: unknown): string => (value === undefined ? "nothing" : wordsOf(field, value));
  const [was, is] = [words(recorded), words(replayed)];
  return was === is
    ? { recorded: exactText(recorded), replayed: exactText(replayed) }
    : { recorded: was, replayed: is };
}

function wordsOf(field: string, value: unknown): string {
  if (field === "quotes") return quotesText(value as Quotes);
  if (field === "approved") return listText((value as readonly Command[]).map(commandText));
  if (field === "denied")
    return listText((value as readonly { readonly command: Command }[]).map(({ command }) => commandText(command)));
  if (field === "closed") return listText((value as readonly { readonly gate: string }[]).map(({ gate }) => gate));
  return typeof value === "string" ? value : exactText(value);
}

const listText = (words: readonly string[]): string => (words.length === 0 ? "nothing" : words.join(", "));

const quotesText = ({ quotes, reason }: Quotes): string =>
  quotes.length === 0
    ? `no quotes (${reason ?? "no reason"})`
    : quotes.map(({ side, size, price }) => `${side} ${contractsOf(size)} at ${usdOf(price)}`).join(", ");

function commandText(command: Command): string {
  switch (command.kind) {
    case "place":
      return `place ${command.side} ${contractsOf(command.size)} at ${usdOf(command.price)}`;
    case "modify": {
      const size = command.newSize === null ? "" : ` to ${contractsOf(command.newSize)}`;
      const price = command.newPrice === null ? "" : ` at ${usdOf(command.newPrice)}`;
      return `modify order ${command.orderId}${size}${price}`;
    }
    case "cancel":
      return `cancel order ${command.orderId}`;
    case "cancelAll":
      return "cancel all";
  }
}

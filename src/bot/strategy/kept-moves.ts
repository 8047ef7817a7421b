// How the markets of an account move together, as text for the ledger: half of it takes three days to learn. The last half hour of looks is
// left out: a new process restarts them, as after any gap.

import { z } from "zod";
import type { MarketId } from "../../domain/units.ts";
import type { Instant } from "../../kernel/clock.ts";
import { KeptError, keptText, readKept } from "./kept-text.ts";
import type { MarkMoves } from "./mark-moves.ts";

const sum = z.number().min(-1e12).max(1e12);
const schema = z.strictObject({
  ids: z.array(z.int().min(0)),
  products: z.array(z.array(sum)),
  looks: z.array(z.number().min(0).max(1e12)),
  lastMs: z.number().max(0).nullable(),
});

export const movesText = ({ logs: _, ...moves }: MarkMoves<MarketId>, chainId: string, at: Instant): string =>
  keptText({ ...moves, lastMs: moves.lastMs === null ? null : moves.lastMs - at.monotonicMs }, chainId, at);

/** Throws KeptError where the text is of another version or chain, or `movesText` cannot have written it. */
export function readMovesText(text: string, chainId: string, now: Instant): MarkMoves<MarketId> {
  const { kept, downMs } = readKept(schema, text, chainId, now);
  const { ids, products, looks, lastMs } = kept;
  const isSquare = [products.length, looks.length, ...products.map(({ length }) => length)].every(
    (n) => n === ids.length,
  );
  if (!isSquare || new Set(ids).size !== ids.length)
    throw new KeptError("kept_nonsense", "not a row each of its markets");
  for (const [i, row] of products.entries()) {
    for (const [j, both] of row.entries()) {
      const [own, other] = [products[i]?.[i] ?? 0, products[j]?.[j] ?? 0];
      const most = Math.sqrt(Math.max(0, own) * Math.max(0, other)) * (1 + 1e-9);
      if (own < 0 || both !== products[j]?.[i] || Math.abs(both) > most)
        throw new KeptError("kept_nonsense", `markets ${ids[i]} and ${ids[j]} cannot move together by ${both}`);
    }
  }
  return {
    ids,
    products,
    looks,
    logs: ids.map(() => []),
    lastMs: lastMs === null ? null : lastMs + now.monotonicMs - downMs,
  };
}

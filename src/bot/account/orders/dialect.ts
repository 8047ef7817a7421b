// What the exchange's answers and rows show of its dialect: whether sizes of modifies and of rows include what is filled, and whether
// successes show their effect at all.

import type { DialectKey, DialectWord } from "../../../domain/dialect.ts";
import type { Order } from "../../../domain/order.ts";
import { type Size, size } from "../../../domain/units.ts";
import type { ShownAction, Suspicion } from "../effects.ts";
import type { Span } from "../evidence.ts";
import { type Orders, type TrackedRecord, termsOf, type Unshown } from "./records.ts";

/** Something does not match: asks for a read of the account. */
export function suspect({ accountId, effects }: Orders, why: Suspicion): void {
  effects.push({ kind: "reconcileWanted", accountId, why });
}

/** Keeps a word of the exchange's dialect, and reports it once. */
export function learn<K extends DialectKey>(orders: Orders, key: K, word: DialectWord<K>): void {
  if (orders.dialect[key] !== null && word !== "none") return;
  orders.dialect = { ...orders.dialect, [key]: word };
  orders.effects.push({ kind: "dialectLearned", accountId: orders.accountId, key, word });
}

/** Only a partly filled order shows whether the size of a modify includes what is filled. */
export function learnModifySize(orders: Orders, asked: Size, filled: Size, remaining: Size): void {
  if (filled === 0n) return;
  if (remaining === asked - filled) learn(orders, "modifySize", "total");
  else if (remaining === asked) learn(orders, "modifySize", "remaining");
}

type RowSize = DialectWord<"rowSize">;
export type Meaning = { readonly word: RowSize; readonly order: Order };

/**
 * The possible meanings of a row, the one with the largest remainder first. A row with one size means the whole or what remains, until the
 * dialect is known.
 */
export function meaningsOf({ dialect }: Orders, { order, filled }: TrackedRecord, row: Order): readonly Meaning[] {
  const { size: shown, filledSize, unclearSize } = row;
  if (unclearSize === undefined) return [{ word: "total", order: row }];
  const meaning = (word: RowSize, whole: bigint, done: bigint): Meaning => ({
    word,
    order: { ...row, size: size(whole), filledSize: size(done), remainingSize: size(whole - done) },
  });
  const knownFilled = filled < shown ? filled : shown;
  const knownWhole = order.size > shown ? order.size : shown;
  const remaining =
    unclearSize === "alone"
      ? meaning("remaining", knownWhole, knownWhole - shown)
      : meaning("remaining", shown + filledSize, filledSize);
  const total = unclearSize === "alone" ? meaning("total", shown, knownFilled) : meaning("total", shown, filledSize);
  return [remaining, total].filter(({ word }) => dialect.rowSize === null || dialect.rowSize === word);
}

/** Learns what sizes of rows mean from a row of a partly filled order where only one meaning matches what we hold now. */
export function learnRowSize(
  orders: Orders,
  { order, filled, held }: TrackedRecord,
  all: readonly Meaning[],
  span: Span,
): void {
  if (all.length < 2 || filled === 0n || !held.isSteady(span)) return;
  const now = termsOf(order.price, order.size, filled);
  const [first, ...more] = all.filter(({ order: of }) => termsOf(of.price, of.size, of.filledSize) === now);
  if (first !== undefined && more.length === 0) learn(orders, "rowSize", first.word);
}

/** The effect of a success is known. Returns null: nothing is awaited any longer. */
export function shown(
  { accountId, effects, notUnderstood }: Orders,
  action: ShownAction,
  unshown: Unshown | null,
): null {
  notUnderstood[action] = 0;
  if (unshown !== null) effects.push({ kind: "shown", accountId, nonce: unshown.nonce });
  return null;
}

/** So many in a row are no accident. */
export const IN_ROW_MAX = 3;

/**
 * Nothing showed the effect of a success in time. Three modifies in a row turn modifies off, since a cancel and a place do the same. Three
 * places or cancels in a row mean that the exchange does nothing, or that we do not understand its answers.
 */
export function misunderstood(
  orders: Orders,
  { order: { marketId }, timeInForce }: TrackedRecord,
  action: ShownAction,
  { said }: Unshown,
): void {
  const { accountId, effects, notUnderstood } = orders;
  // An order that may not rest and found no counterparty shows nothing.
  if (timeInForce === "GTC") notUnderstood[action] += 1;
  const isTooMany = notUnderstood[action] >= IN_ROW_MAX;
  if (isTooMany) notUnderstood[action] = 0;
  effects.push({ kind: "notUnderstood", accountId, marketId, action, said, isTooMany });
  if (isTooMany && action === "modify") learn(orders, "modifySize", "none");
}

// Every action that a transaction can carry (S4.6): as a value, as exact text, and decoded. On the wire a transaction is one object with
// one key, the variant's name.

import { fieldsOf, type JsonSchema, type Kind } from "./description.ts";
import { WireError, within } from "./errors.ts";
import { accountChanges } from "./transaction/account.ts";
import { type Typed, trading } from "./transaction/trading.ts";
import { unshown } from "./transaction/unshown.ts";

const contents = { ...trading, ...accountChanges, ...unshown };

export type TransactionType = keyof typeof contents;

/** One action; a transaction has exactly one (S1). */
export type Transaction = { [Name in TransactionType]: Typed<typeof contents, Name> }[TransactionType];

const kinds: Readonly<Record<string, Kind<object>>> = contents;

/** Compact JSON with the fields in the documented order, whole numbers as bare digits. This text is signed and sent. */
export const encodeTransaction = (transaction: Transaction): string =>
  `{"${transaction.type}":${(kinds[transaction.type] as Kind<object>).text(transaction)}}`;

/** Reads one transaction from parsed JSON, strictly by S4.6: unknown, missing and mistyped fields are refused. Throws WireError. */
export function decodeTransaction(json: unknown): Transaction {
  const variants = Object.entries(fieldsOf(json));
  const [variant] = variants;
  if (variant === undefined || variants.length > 1) {
    throw new WireError("variant_count", "", "a transaction has exactly one key, the name of its action");
  }
  const [name, content] = variant;
  const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
  if (kind === undefined) throw new WireError("variant_unknown", "", "the transaction names no known action");
  return within(name, () => ({ type: name, ...kind.read(content) }) as Transaction);
}

/** Schemas by action name: its content, and the transaction that carries it. */
export const variants: readonly { readonly name: string; readonly content: JsonSchema; readonly whole: JsonSchema }[] =
  Object.entries(kinds).map(([name, { schema: content }]) => ({
    name,
    content,
    whole: { type: "object", properties: { [name]: content }, required: [name], additionalProperties: false },
  }));

/** An object with one key, the action's name. */
export const transaction: Kind<Transaction> = {
  read: decodeTransaction,
  text: encodeTransaction,
  schema: { oneOf: variants.map(({ whole }) => whole) },
};

// Describes a message of the exchange once: reader, writer and JSON Schema all come from one description. Answers are read leniently:
// either casing of names, null as absence, unknown members ignored. Requests are read strictly. In both cases the values are exact, or a
// WireError says where and why not.

import { assert } from "../kernel/assert.ts";
import { WireError } from "./errors.ts";

/** JSON Schema, dialect 2020-12; large bounds are bigints. Schemas that need a name are found by identity. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** One kind of value. */
export type Kind<T> = {
  /** Reads parsed JSON. Throws WireError with a path inside the value. */
  read(value: unknown): T;
  /** Writes compact JSON, exact. */
  text(value: T): string;
  readonly schema: JsonSchema;
};

/** The value type of a description. */
export type Of<K> = K extends { read(value: unknown): infer T } ? T : never;

/** An object member that may be absent: what absence means, and how it is written. */
export type Member<T> = {
  readonly names: readonly string[];
  /** `undefined`: the member is absent. */
  take(value: unknown): T;
  /** Returns `undefined` to leave the member out. */
  give(value: T): string | undefined;
  readonly schema: JsonSchema;
  /** `takes`: may be absent or null when read; `gives`: may be left out or null when written. */
  readonly takes: { readonly absent: boolean; readonly null: boolean };
  readonly gives: { readonly absent: boolean; readonly null: boolean };
  readonly isUnread?: boolean;
};

/** A member that is written and in the schema, but not read: `T` is written, null leaves it out. */
type Unread<T> = Member<never> & { readonly isUnread: true; readonly writes?: T };

type Members = Readonly<Record<string, Kind<unknown> | Member<unknown>>>;
type ValueOf<M> = M extends { take(value: unknown): infer T } ? T : Of<M>;
type IsUnread = { readonly isUnread: true };
type ValuesOf<M> = { readonly [K in keyof M as M[K] extends IsUnread ? never : K]: ValueOf<M[K]> };
type WrittenOf<M> = M extends IsUnread & { readonly writes?: infer T } ? Exclude<T, undefined> : never;
type UnreadOf<M> = {
  readonly [K in keyof M as [WrittenOf<M[K]>] extends [never]
    ? never
    : null extends WrittenOf<M[K]>
      ? never
      : K]: WrittenOf<M[K]>;
} & {
  readonly [K in keyof M as [WrittenOf<M[K]>] extends [never]
    ? never
    : null extends WrittenOf<M[K]>
      ? K
      : never]?: WrittenOf<M[K]>;
};

export type ObjectKind<M extends Members> = {
  read(value: unknown): ValuesOf<M>;
  text(value: ValuesOf<M> & UnreadOf<M>): string;
  readonly schema: JsonSchema;
  readonly members: M;
};

/** Adds a description for people. */
export const says = <K extends { readonly schema: JsonSchema }>(of: K, description: string): K => ({
  ...of,
  schema: { ...of.schema, description },
});

export const kind = <T>(
  schema: JsonSchema,
  read: (value: unknown) => T,
  text: (value: T) => string = String,
): Kind<T> => ({ read, text, schema });

/** The same wire format, converted to another value here. */
export const mapped = <T, U>({ read, text, schema }: Kind<T>, from: (value: T) => U, to: (value: U) => T): Kind<U> => ({
  read: (value) => from(read(value)),
  text: (value) => text(to(value)),
  schema,
});

/** Adds a check, which throws WireError for a value that is well-formed but makes no sense. */
export const checked = <T>(of: Kind<T>, check: (value: T) => void): Kind<T> => ({
  ...of,
  read(value) {
    const found = of.read(value);
    check(found);
    return found;
  },
});

const always = { absent: false, null: false };

function memberOf<T>(of: Kind<T> | Member<T>): Member<T> {
  if ("take" in of) return of;
  const { read, text, schema } = of;
  const take = (value: unknown): T => {
    if (value === undefined) throw missing();
    return read(value);
  };
  return { names: [], take, give: text, schema, takes: always, gives: always };
}

const missing = () => new WireError("field_missing", "", "is required");

/** Sets the member's name on the wire if it differs from the key, and further accepted names. */
export const at = <T>(names: string | readonly string[], of: Kind<T> | Member<T>): Member<T> => ({
  ...memberOf(of),
  names: typeof names === "string" ? [names] : names,
});

/** Null if absent or null; written as null. */
export const maybe = <T>(of: Kind<T>): Member<T | null> => ({
  ...memberOf(of),
  take: (value) => (value === undefined || value === null ? null : of.read(value)),
  give: (value) => (value === null ? "null" : of.text(value)),
  takes: { absent: true, null: true },
  gives: { absent: false, null: true },
});

/** Like `maybe`, but left out if null. */
export const omitted = <T>(of: Kind<T>): Member<T | null> => ({
  ...maybe(of),
  give: (value) => (value === null ? undefined : of.text(value)),
  gives: { absent: true, null: false },
});

/** Like `maybe`, for a request member that must be present: there null means something else than absence. */
export const sent = <T>(of: Kind<T>): Member<T | null> => ({
  ...maybe(of),
  take(value) {
    if (value === undefined) throw missing();
    return value === null ? null : of.read(value);
  },
  takes: { absent: false, null: true },
});

/** Like `omitted`, for a request member with a protocol default: an explicit null is refused (S2.1). */
export const optional = <T>(of: Kind<T>): Member<T | null> => ({
  ...omitted(of),
  take(value) {
    if (value === null) throw new WireError("field_null", "", "must be omitted when unset; null is not allowed");
    return value === undefined ? null : of.read(value);
  },
  takes: { absent: true, null: false },
});

/** `otherwise` if absent; always written. Use `null` for `otherwise` only in reading. */
export const orIfAbsent = <T, const O>(of: Kind<T>, otherwise: O): Member<T | O> => ({
  ...orElse(of, otherwise),
  take: (value) => (value === undefined || value === null ? otherwise : of.read(value)),
});

/** Like `orIfAbsent`, also if the value cannot be read: for members on which nothing depends. */
export function orElse<T, const O>(of: Kind<T> | Member<T>, otherwise: O): Member<T | O> {
  const member = memberOf(of);
  return {
    ...member,
    take(value) {
      // A shortcut for the usual case, because making an error with its stack for each would be slow.
      if (value === undefined && !member.takes.absent) return otherwise;
      try {
        return member.take(value);
      } catch (thrown) {
        if (thrown instanceof WireError) return otherwise;
        throw thrown;
      }
    },
    give(value) {
      assert("take" in of || value !== null, "what is written is known");
      return member.give(value as T);
    },
    takes: { absent: true, null: true },
  };
}

/** Empty if absent or null; left out if empty. */
export const orNone = <T>(of: Kind<readonly T[]>): Member<readonly T[]> => ({
  ...orIfAbsent(of, []),
  give: (items) => (items.length === 0 ? undefined : of.text(items)),
  gives: { absent: true, null: false },
});

/** A constant value. */
export const fixed = (value: string | true | null): Unread<never> => ({
  ...unread<never>({ text: String, schema: schemaOfFixed(value) }),
  give: () => JSON.stringify(value),
});

/** Client generators support neither a constant true nor a type that is only null. */
function schemaOfFixed(value: string | true | null): JsonSchema {
  if (value === null) return onlyNull;
  return value === true ? { type: "boolean", description: "always true" } : { type: "string", const: value };
}

/** Schema of null only. */
export const onlyNull: JsonSchema = { type: ["string", "null"], const: null };

const INT32_MAX = 2 ** 31 - 1;

/** Whole numbers from `min` to `max`. Client generators choose the type by the format, and int64 is the widest that all of them support. */
export function wholeNumber(min: number | bigint, max: number | bigint, description?: string): JsonSchema {
  const format = min >= -INT32_MAX && max <= INT32_MAX ? "int32" : "int64";
  return { type: "integer", format, minimum: min, maximum: max, ...(description !== undefined && { description }) };
}

/** Written and in the schema, but not read. */
export const unread = <T>({ text, schema }: Pick<Kind<T>, "text" | "schema">): Unread<T> => ({
  names: [],
  take: (): never => undefined as never,
  give: (value?: unknown) => (value === undefined || value === null ? undefined : text(value as T)),
  schema,
  takes: always,
  gives: always,
  isUnread: true,
});

/** Like `unread`, but left out if null. */
export const unreadOmitted = <T>(of: Pick<Kind<T>, "text" | "schema">): Unread<T | null> =>
  ({ ...unread(of), gives: { absent: true, null: false } }) as Unread<T | null>;

/** Reads each item; an error's path has its index. */
export const list = <T>(of: Kind<T>): Kind<readonly T[]> => ({
  read(value) {
    const items: T[] = [];
    try {
      for (const item of arrayOf(value)) items.push(of.read(item));
    } catch (thrown) {
      throw thrown instanceof WireError && Array.isArray(value) ? thrown.under(String(items.length)) : thrown;
    }
    return items;
  },
  text: (items) => `[${items.map(of.text).join(",")}]`,
  schema: { type: "array", items: of.schema },
});

/** Like `list`, without the items that cannot be read. */
export const listOfReadable = <T>(of: Kind<T>): Kind<readonly T[]> => ({
  ...list(of),
  read: (value) => readable(arrayOf(value), of.read, () => null)[0],
});

/** The items that `read` accepts, and `left` of the others. */
export function readable<T, U>(
  rows: readonly unknown[],
  read: (item: unknown, at: number) => T,
  left: (item: unknown, why: WireError) => U,
): readonly [readonly T[], readonly U[]] {
  const understood: T[] = [];
  const others: U[] = [];
  for (const [at, item] of rows.entries()) {
    try {
      understood.push(read(item, at));
    } catch (thrown) {
      if (!(thrown instanceof WireError)) throw thrown;
      others.push(left(item, thrown));
    }
  }
  return [understood, others];
}

/**
 * Like `of`, for an answer that is a list: it may be inside an envelope, an object with exactly one list. The interface does not show
 * which.
 */
export const enveloped = <T>(of: Kind<readonly T[]>): Kind<readonly T[]> => ({
  ...of,
  read(value) {
    const [name, rows] = listIn(value);
    try {
      return of.read(rows);
    } catch (thrown) {
      throw thrown instanceof WireError ? thrown.under(name) : thrown;
    }
  },
});

/** The items of a list or of the one list in an envelope, unread. Throws WireError. */
export function rowsOf(value: unknown): readonly unknown[] {
  if (value === null) throw new WireError("field_null", "", "must be a list, and is null");
  return arrayOf(listIn(value)[1]);
}

/** The list and its name in the envelope; the name is empty for a bare list, for anything without one list, and for errors. */
function listIn(value: unknown): readonly [string, unknown] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return ["", value];
  const members = Object.entries(value);
  const isError = members.some(([name, of]) => ERRORS.has(name) && Boolean(of));
  const [list, ...more] = members.filter(([, of]) => Array.isArray(of));
  return list === undefined || more.length > 0 || isError ? ["", value] : list;
}
const ERRORS: ReadonlySet<string> = new Set(["error", "errors", "warnings", "details"]);

/** The items of a list, unread. Throws WireError. */
export function arrayOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new WireError("field_type", "", "must be a list");
  return value;
}

/** A JSON object whose members have not been read. */
export type Fields = Readonly<Record<string, unknown>>;

/** Throws WireError. */
export function fieldsOf(value: unknown): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw new WireError("field_type", "", "must be an object");
}

/** Casing of an object's names where its members do not set them. */
type Casing = "camel" | "snake";

/** An object in an answer, names in camelCase. */
export const object = <M extends Members>(members: M): ObjectKind<M> => answer(members, "camel");
/** An object in an answer, names in snake_case. */
export const snakeObject = <M extends Members>(members: M): ObjectKind<M> => answer(members, "snake");

type Placed = Member<unknown> & { readonly key: string; readonly name: string; readonly others: readonly string[] };

function placed(members: Members, casing: Casing): readonly Placed[] {
  return Object.entries(members).map(([key, of]) => {
    const member = memberOf(of);
    const [first = key, ...more] = member.names;
    const name = casing === "snake" ? snakeOf(first) : first;
    const spellings = new Set([name, ...[first, ...more].flatMap((each) => [each, camelOf(each), snakeOf(each)])]);
    for (const spelling of spellings) assert(!(spelling in Object.prototype), "a member has a name of its own");
    spellings.delete(name);
    return { ...member, key, name, others: [...spellings] };
  });
}

export const snakeOf = (name: string): string => name.replace(/(?<=[a-z])(?=[A-Z]|\d+d)/g, "_").toLowerCase();
export const camelOf = (name: string): string => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The members that are read, and a template to fill in, so that all values have the same shape and writes are cheap. */
function toldOf(all: readonly Placed[]): { readonly told: readonly Placed[]; readonly blank: Fields } {
  const told = all.filter(({ isUnread }) => isUnread !== true);
  return { told, blank: Object.fromEntries(told.map(({ key }) => [key, undefined])) };
}

function answer<M extends Members>(members: M, casing: Casing): ObjectKind<M> {
  const all = placed(members, casing);
  const { told, blank } = toldOf(all);
  const read = (value: unknown): ValuesOf<M> => {
    const fields = fieldsOf(value);
    const found: Record<string, unknown> = { ...blank };
    let at = 0;
    try {
      for (; at < told.length; at += 1) {
        const member = told[at] as Placed;
        found[member.key] = member.take(memberIn(fields, member));
      }
    } catch (thrown) {
      throw thrown instanceof WireError ? thrown.under((told[at] as Placed).name) : thrown;
    }
    return found as ValuesOf<M>;
  };
  const schema = objectSchema(all, ({ gives }) => gives);
  return { read, text: writerOf(all), schema, members };
}

/** The value under the first of the member's names that is present; null counts as absent. */
function memberIn(fields: Fields, { name, others }: Placed): unknown {
  const value = fields[name];
  if (value !== undefined && value !== null) return value;
  for (const other of others) {
    const found = fields[other];
    if (found !== undefined && found !== null) return found;
  }
  return undefined;
}

/** An object in a request: only the documented names; an unknown member is an error, unless `ignored`. */
export function request<M extends Members>(members: M, unknown: "refused" | "ignored" = "refused"): ObjectKind<M> {
  const all = placed(members, "snake");
  const { told, blank } = toldOf(all);
  const names = new Set(all.map(({ name }) => name));
  const read = (value: unknown): ValuesOf<M> => {
    const fields = fieldsOf(value);
    if (unknown === "refused")
      for (const name of Object.keys(fields))
        if (!names.has(name)) throw new WireError("field_unknown", name, "is not a field of this shape");
    const found: Record<string, unknown> = { ...blank };
    for (const member of told) {
      try {
        found[member.key] = member.take(Object.hasOwn(fields, member.name) ? fields[member.name] : undefined);
      } catch (thrown) {
        throw thrown instanceof WireError ? thrown.under(member.name) : thrown;
      }
    }
    return found as ValuesOf<M>;
  };
  const { additionalProperties, ...open } = objectSchema(all, ({ takes }) => takes);
  const schema = unknown === "refused" ? { ...open, additionalProperties } : open;
  return { read, text: writerOf(all), schema, members };
}

function writerOf(all: readonly Placed[]): (value: Fields) => string {
  const heads = all.map(({ name }) => `${JSON.stringify(name)}:`);
  return (value) => {
    let text = "{";
    for (let at = 0; at < all.length; at += 1) {
      const { key, give } = all[at] as Placed;
      const member = give(value[key]);
      if (member !== undefined) text += text.length === 1 ? heads[at] + member : `,${heads[at]}${member}`;
    }
    return `${text}}`;
  };
}

function objectSchema(all: readonly Placed[], mayBe: (member: Placed) => Placed["gives"]): JsonSchema {
  const properties = all.map((member) => {
    return [member.name, mayBe(member).null ? orNull(member.schema) : member.schema] as const;
  });
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    required: all.filter((member) => !mayBe(member).absent).map(({ name }) => name),
    additionalProperties: false,
  };
}

/** Null as a second type, not as a second variant: client generators make a class of every variant. */
function orNull(schema: JsonSchema): JsonSchema {
  const { type, enum: words } = schema;
  if (Array.isArray(type) && type.includes("null")) return schema;
  assert(typeof type === "string" && schema.const === undefined, "what may be null has one type and is not fixed");
  return { ...schema, type: [type, "null"], ...(Array.isArray(words) && { enum: [...words, null] }) };
}

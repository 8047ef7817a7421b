// The keys of a configuration schema, one after the other, as the documents in docs/ list them.

import { z } from "zod";

export type JsonSchema = z.core.JSONSchema.BaseSchema;

/** One key of the file; `path` as in faults, with [] for each element of a list. */
export type Key = {
  readonly path: string;
  readonly allowed: string;
  readonly byDefault: string;
  readonly says: string | undefined;
  readonly unit: string;
  readonly danger: string;
};

/** As JSON Schema of draft 7, which editors understand: what may be written, before it is read. */
export function writtenSchema(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, {
    io: "input",
    target: "draft-7",
    unrepresentable: "any",
    override({ zodSchema, jsonSchema }) {
      delete jsonSchema.readOnly;
      if ("orFlag" in jsonSchema) {
        delete jsonSchema.orFlag;
        jsonSchema.type = ["boolean", "object"] as never;
      }
      // Decimals and ids may be written as a number or as text; JSON Schema knows no bigint.
      const { def } = zodSchema._zod;
      if (def.type !== "union" || !def.options.some((option) => option._zod.def.type === "bigint")) return;
      delete jsonSchema.anyOf;
      jsonSchema.type = ["number", "string"] as never;
    },
  });
}

export function* keysIn(schema: JsonSchema, path = ""): Generator<Key> {
  for (const form of schema.oneOf?.filter(isSchema) ?? []) yield* keysIn(form, path);
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    if (!isSchema(inner)) continue;
    const at = path === "" ? name : `${path}.${name}`;
    const element = isSchema(inner.items) ? inner.items : undefined;
    const nested = element ?? inner;
    if (nested.properties === undefined && nested.oneOf === undefined) yield keyOf(inner, at, schema);
    else yield* keysIn(nested, element === undefined ? at : `${at}[]`);
  }
}

export const isSchema = (inner: unknown): inner is JsonSchema =>
  typeof inner === "object" && inner !== null && !Array.isArray(inner);

function keyOf(schema: JsonSchema, path: string, { required = [] }: JsonSchema): Key {
  const name = path.split(".").at(-1) ?? path;
  const { default: given } = schema;
  const written = typeof given === "object" ? JSON.stringify(given) : given;
  const byDefault = given === undefined ? (required.includes(name) ? "–" : "none") : `\`${written}\``;
  const { unit = "", danger = "" } = schema as { readonly unit?: string; readonly danger?: string };
  const says = schema.description && withoutColumns(schema.description, written);
  return { path, allowed: allowedOf(schema), byDefault, says, unit, danger };
}

/** What a description says that stands in other columns too: faults repeat it beside no table. */
const withoutColumns = (says: string, byDefault: unknown): string =>
  says
    .replace(
      / (?:(?:Contracts|Basis points|Minutes|A whole number|In [^,.]+), |From )(?:[\d.]+ to [\d.]+|above 0, at most .+)\.$/,
      "",
    )
    .replace(new RegExp(` Default ${RegExp.escape(`${byDefault}`)}(?:; from [\\d.]+ to [\\d.]+)?\\.`), "");

function allowedOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum !== undefined) return [...new Set(schema.enum.map((word) => `\`${word}\``))].join(", ");
  const orNull = schema.anyOf?.some((form) => isSchema(form) && form.type === "null") ? " or null" : "";
  const plain = schema.anyOf?.find((form) => isSchema(form) && form.type !== "null") ?? schema;
  if (!isSchema(plain)) return "";
  const { type, minimum, exclusiveMinimum, maximum } = plain;
  if (type === "boolean") return "true, false";
  if (type === "string") return "text";
  if (type === "array") return "a list";
  if (type === "object") return "a mapping";
  if (type === "integer" || type === "number") {
    const bounds = minimum === undefined ? `above ${exclusiveMinimum}, at most ${maximum}` : `${minimum} to ${maximum}`;
    return `${bounds}${orNull}`;
  }
  return `decimal${orNull || (Array.isArray(type) && type.includes("null") ? " or null" : "")}`;
}

/** Lines of a Markdown table, without columns that are empty. A bare default: the meaning says what holds without the key. */
export function keyTable(name: string, keys: readonly Key[]): readonly string[] {
  const all: readonly (readonly [string, (key: Key) => string | undefined])[] = [
    [name, ({ path }) => `\`${path}\``],
    ["Allowed", ({ allowed, unit }) => [allowed, unit].filter(Boolean).join(allowed === "decimal" ? ", " : " ")],
    ["Default", ({ byDefault }) => (byDefault === "none" ? "" : byDefault)],
    ["Looser", ({ danger }) => LOOSER.exec(danger)?.[1] ?? ""],
    ["Meaning", meaningOf],
  ];
  const columns = all.filter(([, cell]) => keys.some((key) => cell(key) !== ""));
  const row = (cells: readonly (string | undefined)[]): string => `| ${cells.join(" | ")} |`;
  return [
    row(columns.map(([title]) => title)),
    row(columns.map(() => "---")),
    ...keys.map((key) => row(columns.map(([, cell]) => cell(key)))),
  ];
}

const LOOSER = /^(higher|lower) lets more pass$/;

/** Without a unit that stands beside what is allowed; with the danger, unless it has a column. */
function meaningOf({ says, unit, danger }: Key): string | undefined {
  const meaning = unit !== "" && says?.startsWith(`${unit}; `) ? says.slice(unit.length + 2) : says;
  return danger === "" || LOOSER.test(danger) ? meaning : `${meaning}. Danger: ${danger}`;
}

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

/** As JSON Schema of draft 7, which editors understand: the written form, before it is read. */
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
      // Decimals and ids may be written as a number or as text; JSON Schema has no bigint.
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
  const says = schema.description && withoutRepeats(schema.description, written);
  return { path, allowed: allowedOf(schema), byDefault, says, unit, danger };
}

/** Without the bounds and the default, which the documents show beside the key; errors show only the description, and need them. */
const withoutRepeats = (says: string, byDefault: unknown): string =>
  says
    .replace(
      / (?:(?:Contracts|Basis points|Minutes|A whole number|In [^,.]+), |From )(?:[\d.]+ to [\d.]+|above 0, at most .+)\.$/,
      "",
    )
    .replace(new RegExp(` Default ${RegExp.escape(`${byDefault}`)}(?:; from [\\d.]+ to [\\d.]+)?\\.`), "");

function allowedOf(schema: JsonSchema): string {
  if (schema.const !== undefined) return `${schema.const}`;
  const orNull = schema.anyOf?.some((form) => isSchema(form) && form.type === "null") ? " or null" : "";
  const plain = schema.anyOf?.find((form) => isSchema(form) && form.type !== "null") ?? schema;
  if (!isSchema(plain)) return "";
  if (plain.enum !== undefined) return [...new Set(plain.enum.map(String))].join(", ");
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

const WIDTH = 140;
const LOOSER = /^(higher|lower) lets more pass$/;

/**
 * Keys as commented YAML, in a Markdown block: each with its default, what is allowed and its meaning. A key that occurs twice has two
 * forms. An arrow: the direction in which a limit lets more pass.
 */
export function keyYaml(keys: readonly Key[]): readonly string[] {
  const lines: string[] = [];
  let above: readonly string[] = [];
  for (const key of keys) {
    const path = key.path.split(".");
    const parents = path.slice(0, -1);
    const shared = parents.findIndex((parent, at) => parent !== above[at]);
    const from = shared === -1 ? parents.length : shared;
    lines.push(...parents.slice(from).map((parent, at) => `${"  ".repeat(from + at)}${parent.replace("[]", "")}:`));
    const beginsItem = from < parents.length && parents.at(-1)?.endsWith("[]");
    lines.push(...keyLines(key, "  ".repeat(parents.length), `${beginsItem ? "- " : "  "}${path.at(-1)}`));
    above = parents;
  }
  return ["```yaml", ...lines, "```"];
}

function keyLines(key: Key, indent: string, name: string): readonly string[] {
  const isRequired = key.byDefault === "–";
  const byDefault = isRequired || key.byDefault === "none" ? "" : ` ${key.byDefault.replaceAll("`", "")}`;
  const [, looser] = LOOSER.exec(key.danger) ?? [];
  const arrow = looser === undefined ? "" : looser === "higher" ? "↑" : "↓";
  const allowed = [key.allowed, key.unit]
    .filter(Boolean)
    .join(key.allowed === "decimal" || /^\d/.test(key.unit) ? ", " : " ");
  const meaning = meaningOf(key);
  const comment = `${[isRequired ? "required" : "", allowed, arrow].filter(Boolean).join(", ")}${/^[A-Z]/.test(meaning) ? "." : ";"} ${meaning}`;
  return commented(`${indent}${name}:${byDefault}`.slice(2), comment, `${indent}# `);
}

/** A line with its comment behind it or, if that is long, above it, each comment line beginning with `start`. */
export function commented(line: string, comment: string, start: string): readonly string[] {
  const beside = `${line} ${start.trimStart()}${comment}`;
  return beside.length <= WIDTH ? [beside] : [...wrapped(comment, start), line];
}

/** A word beyond the width has a line of its own. */
function wrapped(text: string, start: string): readonly string[] {
  const [line = ""] = new RegExp(`^(?:.{1,${WIDTH - start.length}}(?= |$)|\\S+)`).exec(text) ?? [];
  const rest = text.slice(line.length).trim();
  return [`${start}${line}`, ...(rest === "" ? [] : wrapped(rest, start))];
}

/** Without a unit that is beside the allowed values; with the danger, unless an arrow shows it. */
function meaningOf({ says = "", unit, danger }: Key): string {
  const meaning = unit !== "" && says.startsWith(`${unit}; `) ? says.slice(unit.length + 2) : says;
  return danger === "" || LOOSER.test(danger) ? meaning : `${meaning}. Danger: ${danger}`;
}

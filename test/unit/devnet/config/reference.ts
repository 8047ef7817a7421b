// docs/devnet-configuration.md as text, made from the schema of the devnet's configuration.

import { z } from "zod";
import { devnetSchema } from "../../../../src/devnet/config/schema.ts";

type Json = z.core.JSONSchema.BaseSchema;

/** One key of the file; `path` as in faults, with [] for each element of a list. */
export type Key = {
  readonly path: string;
  readonly allowed: string;
  readonly byDefault: string;
  readonly says: string | undefined;
};

export const keysOfDevnet = (): readonly Key[] => [
  ...keysIn(z.toJSONSchema(devnetSchema, { io: "input", unrepresentable: "any" }), ""),
];

export const referenceText = (): string =>
  [
    "# Configuration of the devnet",
    "",
    "Made from the schema by `npx vitest run test/unit/devnet/config/reference.test.ts -u`; a test fails when the two differ.",
    "",
    "Prices (USD), sizes (contracts) and amounts (USDC, NATIVE) are human decimals, read exactly. A key that is not here, and a value that",
    "is not allowed, is refused at its line and column, with what would be allowed.",
    "",
    "| Key | Allowed | Default | Meaning |",
    "| --- | --- | --- | --- |",
    ...keysOfDevnet().map(
      ({ path, allowed, byDefault, says }) => `| \`${path}\` | ${allowed} | ${byDefault} | ${says} |`,
    ),
    "",
  ].join("\n");

function* keysIn(schema: Json, path: string): Generator<Key> {
  const forms = schema.oneOf?.filter(isSchema) ?? [];
  for (const form of forms) yield* keysIn(form, path);
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    if (!isSchema(inner)) continue;
    const at = path === "" ? name : `${path}.${name}`;
    const element = isSchema(inner.items) ? inner.items : undefined;
    const nested = element ?? inner;
    if (nested.properties === undefined && nested.oneOf === undefined) yield keyOf(inner, at, schema);
    else yield* keysIn(nested, element === undefined ? at : `${at}[]`);
  }
}

const isSchema = (inner: unknown): inner is Json =>
  typeof inner === "object" && inner !== null && !Array.isArray(inner);

function keyOf(schema: Json, path: string, { required = [] }: Json): Key {
  const name = path.split(".").at(-1) ?? path;
  const byDefault = schema.default === undefined ? (required.includes(name) ? "–" : "none") : `\`${schema.default}\``;
  return { path, allowed: allowedOf(schema), byDefault, says: schema.description };
}

function allowedOf(schema: Json): string {
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum !== undefined) return schema.enum.map((word) => `\`${word}\``).join(", ");
  const orNull = schema.anyOf?.some((form) => isSchema(form) && form.type === "null") ? " or null" : "";
  const plain = schema.anyOf?.find((form) => isSchema(form) && form.type === "integer") ?? schema;
  if (!isSchema(plain)) return "";
  const { type, minimum, maximum } = plain;
  if (type === "boolean") return "true, false";
  if (type === "string") return "text";
  if (type === "integer" || type === "number")
    return `${type === "integer" ? "a whole number" : "a number"}, ${minimum} to ${maximum}${orNull}`;
  return `a decimal${orNull}`;
}

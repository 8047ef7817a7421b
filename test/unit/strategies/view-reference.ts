// docs/view.md as text: the fields that a strategy reads and returns, made from the types themselves and their comments.

import { readdirSync, readFileSync } from "node:fs";

const DOMAIN = new URL("../../../src/domain/", import.meta.url);

type Field = { readonly name: string; readonly type: string; readonly says: string };
type Shape = { readonly name: string; readonly says: string; readonly fields: readonly Field[] };

const flat = (comment: string | undefined): string => (comment ?? "").replaceAll(/\s*\n\s*\*?\s*/g, " ").trim();

/** The object types of one file; what a type adds to another one is listed, the other one named. */
function shapesIn(source: string): readonly Shape[] {
  const types = source.matchAll(
    /(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?export type (\w+) = ((?:\w+ & )*)\{([\s\S]*?)\};?\n/g,
  );
  return Array.from(types, ([, comment, name = "", with_ = "", body = ""]) => ({
    name,
    says: [flat(comment), with_ === "" ? "" : `With the fields of ${with_.replaceAll(" & ", "").trim()}.`]
      .join(" ")
      .trim(),
    fields: Array.from(
      body.matchAll(/(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?readonly (\w+): ([^;]+)(?:;|$)/g),
      ([, says, field = "", type = ""]) => ({ name: field, type: flat(type), says: flat(says) }),
    ),
  }));
}

/** `View` and `Quotes`, then every type that they lead to, each once. */
export function viewShapes(): readonly Shape[] {
  const all = new Map(
    readdirSync(DOMAIN)
      .filter((file) => file !== "units.ts")
      .flatMap((file) => shapesIn(readFileSync(new URL(file, DOMAIN), "utf8")))
      .map((shape) => [shape.name, shape]),
  );
  const reached: Shape[] = [];
  const waiting = ["View", "Quotes"];
  for (const name of waiting) {
    const shape = all.get(name);
    if (shape === undefined || reached.includes(shape)) continue;
    reached.push(shape);
    const words = [shape.says, ...shape.fields.map(({ type }) => type)].join(" ").match(/\b[A-Z]\w+/g) ?? [];
    waiting.push(...words.filter((word) => !waiting.includes(word)));
  }
  return reached;
}

export const viewText = (): string =>
  [
    "# What a strategy sees",
    "",
    "Made from the types by `npx vitest run test/unit/strategies/view-reference.test.ts -u`; a test fails when the two differ.",
    "[strategies/README.md](../strategies/README.md) shows how a strategy uses them.",
    "",
    "`quote(view, params, memory)` takes a `View` and returns `Quotes`. `Fact<T>` is a `value` with a `state` (fresh or stale) and an `ageMs`, or it is",
    "absent: `fresh(fact)` is its value or undefined. `Price` is a bigint of 1e-8 USD and `Size` one of 1e-6 contracts: `usdOf` and `contractsOf`",
    "give numbers, `priceFromUsd` and `sizeFromContracts` come back. `Usdc` is a bigint of 1e-6 USDC; the names of `units.ts` that are not here are ids.",
    "",
    ...viewShapes().flatMap(({ name, says, fields }) => [
      `## ${name}`,
      "",
      ...(says === "" ? [] : [says, ""]),
      "| Field | Type | |",
      "| --- | --- | --- |",
      ...fields.map((field) => `| \`${field.name}\` | \`${field.type.replaceAll("|", "\\|")}\` | ${field.says} |`),
      "",
    ]),
  ].join("\n");

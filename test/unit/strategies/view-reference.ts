// docs/view.md as text: the fields that a strategy reads and returns, made from the types themselves and their comments.

import { readdirSync, readFileSync } from "node:fs";
import { commented } from "../../support/configuration-keys.ts";

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
      body.matchAll(/(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*)?readonly (\w+\??): ((?:\{[^}]*\}|[^;{])+)(?:;|$)/g),
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
    "`quote(view, params, memory)` takes a `View` and returns `Quotes`; [strategies/README.md](../strategies/README.md) shows how a strategy uses them.",
    "",
    "| Type | Is | Converts with |",
    "| --- | --- | --- |",
    "| `Fact<T>` | a `value` with its `ageMs`, in the `state` fresh or stale; or absent | `fresh(fact)`: the value if fresh, else undefined; `lastKnown(fact)`: also a stale one |",
    "| `Price` | a bigint, 1e-8 USD | `usdOf`, `priceFromUsd` |",
    "| `Size` | a bigint, 1e-6 contracts, signed where it is a position | `contractsOf`, `sizeFromContracts` |",
    "| `Usdc` | a bigint, 1e-6 USDC | |",
    "| `AccountId`, `OrderId`, `Nonce`, `MarketId` | ids: bigints, a market's a number | |",
    "",
    "Generated from the types: `npx vitest run test/unit/strategies/view-reference.test.ts -u`.",
    "",
    ...viewShapes().flatMap(({ name, says, fields }) => [
      `## ${name}`,
      "",
      ...(says === "" ? [] : [says, ""]),
      "```ts",
      ...fields.flatMap(lines),
      "```",
      "",
    ]),
  ].join("\n");

const lines = ({ name, type, says }: Field): readonly string[] =>
  says === "" ? [`${name}: ${type};`] : commented(`${name}: ${type};`, says, "// ");

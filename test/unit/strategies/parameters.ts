// The tables of parameters in docs/strategies.md, made from the schemas of the strategies that ship.

import { isDeepStrictEqual } from "node:util";
import { type Key, keysIn, keyTable } from "../../support/configuration-keys.ts";
import { type StrategyParams, strategyParams } from "../bot/config/reference.ts";

/** What stands around a table in the document; `besides`: another strategy, whose equal parameters are named and not repeated. */
const PLACE =
  /(<!-- parameters of ([a-z-]+)(?:, besides those of ([a-z-]+))? -->\n)[\s\S]*?(?=<!-- end of parameters -->)/g;

/** The document with the present tables in their places. */
export async function withParameters(document: string): Promise<string> {
  const all = await strategyParams();
  return document.replace(
    PLACE,
    (_old, place: string, name: string, besides?: string) => `${place}${textOf(all, name, besides).join("\n")}\n\n`,
  );
}

function textOf(all: readonly StrategyParams[], name: string, besides: string | undefined): readonly string[] {
  const keys = keysOf(all, name);
  if (besides === undefined) return ["", ...table(keys)];
  const others = keysOf(all, besides);
  const isIn = (one: Key, list: readonly Key[]) => list.some((key) => isDeepStrictEqual(key, one));
  const lacks = others.filter((key) => !isIn(key, keys)).map(({ path }) => `\`${path}\``);
  const but = lacks.length === 0 ? "" : ` except ${lacks.join(" and ")}`;
  return [
    "",
    `Those of [\`${besides}\`](#${besides})${but}, and:`,
    "",
    ...table(keys.filter((key) => !isIn(key, others))),
  ];
}

function keysOf(all: readonly StrategyParams[], name: string): readonly Key[] {
  const found = all.find((strategy) => strategy.name === name);
  if (found === undefined) throw new Error(`${name} does not ship`);
  return withBaseOnce([...keysIn(found.schema)]);
}

/** A strategy on top of another one: whose parameters have their own table. */
function withBaseOnce(keys: readonly Key[]): readonly Key[] {
  const bases = keys.filter(({ path }) => path === "base.strategy");
  const [first] = bases;
  const rest = keys.filter(({ path }) => !path.startsWith("base."));
  if (first === undefined) return rest;
  const allowed = bases.map((base) => base.allowed).join(", ");
  return [
    { ...first, allowed, says: "The strategy whose quotes it places and guards." },
    { ...first, path: "base.params", allowed: "a mapping", says: "Its parameters, as in its own table." },
    ...rest,
  ];
}

const table = (keys: readonly Key[]): readonly string[] => keyTable("Parameter", keys.map(plain));

/** The schema bounds decimals from below by other means than its bounds; a count is seen to be whole. */
const plain = (key: Key): Key => ({
  ...key,
  allowed: key.allowed.replace(/^integer, /, "").replace(/^decimal$/, "above 0"),
});

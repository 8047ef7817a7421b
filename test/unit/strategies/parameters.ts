// The parameters in docs/strategies.md, made from the schemas of the strategies that ship.

import { isDeepStrictEqual } from "node:util";
import { type Key, keysIn, keyYaml } from "../../support/configuration-keys.ts";
import { type StrategyParams, strategyParams } from "../bot/config/reference.ts";

/** What stands around the parameters of a strategy in the document. */
const PLACE = /(<!-- parameters of ([a-z-]+) -->\n)[\s\S]*?(?=<!-- end of parameters -->)/g;

/** The document with the present parameters in their places. One that an earlier strategy has alike is only named. */
export async function withParameters(document: string): Promise<string> {
  const all = await strategyParams();
  const above: { readonly of: string; readonly key: Key }[] = [];
  return document.replace(PLACE, (_old, place: string, name: string) => {
    const keys = keysOf(all, name);
    const firstOf = (key: Key) => above.find((earlier) => isDeepStrictEqual(earlier.key, key))?.of;
    const alike = Map.groupBy(keys, firstOf);
    const fresh = alike.get(undefined) ?? [];
    alike.delete(undefined);
    above.push(...fresh.map((key) => ({ of: name, key })));
    const named = [...alike].map(
      ([of, same]) => `as in [\`${of}\`](#${of}) ${same.map(({ path }) => `\`${path}\``).join(", ")}`,
    );
    const and = named.length === 0 ? [] : ["", `Also, ${named.join("; ")}.`];
    return `${place}${["", ...keyYaml(fresh.map(plain)), ...and].join("\n")}\n\n`;
  });
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

/** The schema bounds decimals from below by other means than its bounds. */
const plain = (key: Key): Key => ({ ...key, allowed: key.allowed.replace(/^decimal$/, "above 0") });

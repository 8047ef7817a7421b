// Writes what a probe learned as YAML, or into a configuration's text. Changes only keys that are new or differ.

import { isDeepStrictEqual } from "node:util";
import type { Dialect, DialectKey } from "../../domain/dialect.ts";
import { withPair, YamlEditError } from "../../kernel/yaml/edit.ts";
import { type Mapping, mappingOf } from "../../kernel/yaml/partial-parse.ts";
import { readYaml } from "../../kernel/yaml/yaml.ts";

export type Learned = {
  readonly learned: Partial<Dialect>;
  /** Reasons for keys that are not written, by key. */
  readonly notLearned: Readonly<Partial<Record<DialectKey, string>>>;
};

/** The lines of the mapping `venue`. */
export const dialectLines = ({ learned, notLearned }: Learned): readonly string[] => [
  ...(Object.keys(learned).length === 0 ? [] : ["  dialect:"]),
  ...Object.entries(learned).map(([key, word]) => `    ${key}: ${word}`),
  ...Object.entries(notLearned).map(([key, why]) => `    # ${key}: not learned: ${why}`),
];

const PATH = ["venue", "dialect"];

/**
 * Returns `text` with these words in its `venue.dialect`. Other keys stay, except that modifies count as understood once one was. Throws
 * YamlEditError when the text cannot be edited.
 */
export function withDialect(text: string, learned: Learned["learned"]): string {
  const before = dialectOf(text);
  const words = Object.entries(learned).map(([key, word]) => [key, `${word}`] as const);
  const isDisproved = learned.modifyPrice !== undefined && learned.modifySize === undefined;
  const gone = isDisproved && before?.modifySize === "none" ? "modifySize" : null;
  let edited = text;
  if (before === undefined)
    edited = withPair(text, ["venue"], "dialect", `{ ${words.map(([key, word]) => `${key}: ${word}`).join(", ")} }`);
  else {
    for (const [key, word] of words) if (`${before[key]}` !== word) edited = withPair(edited, PATH, key, word);
    if (gone !== null) edited = withPair(edited, PATH, gone, null);
  }
  const wanted = { ...before, ...Object.fromEntries(words) };
  if (gone !== null) delete wanted[gone];
  if (!isDeepStrictEqual(asText(dialectOf(edited)), asText(wanted)) || !isDeepStrictEqual(rest(edited), rest(text)))
    throw new YamlEditError("it is written in a way that cannot be edited");
  return edited;
}

function dialectOf(text: string): Mapping | undefined {
  const { dialect } = mappingOf(mappingOf(readYaml(text).value).venue);
  return mappingOf(dialect) === dialect ? mappingOf(dialect) : undefined;
}

/** YAML may hold `404` as a number or as text. */
const asText = (dialect: Mapping | undefined): Mapping =>
  Object.fromEntries(Object.entries(dialect ?? {}).map(([key, word]) => [key, `${word}`]));

function rest(text: string): Mapping {
  const { venue, ...others } = mappingOf(readYaml(text).value);
  const { dialect: _, ...plain } = mappingOf(venue);
  return { ...others, venue: plain };
}

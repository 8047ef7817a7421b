// docs/configuration.md and config/quoin.schema.json, made from the schema of the bot's configuration and of the strategies that ship.

import type { z } from "zod";
import { botSchema } from "../../../../src/bot/config/schema.ts";
import { isSchema, type JsonSchema, type Key, keysIn, writtenSchema } from "../../../support/configuration-keys.ts";
import { shippedStrategies } from "../../../support/shipped-strategies.ts";

const STRATEGIES = new URL("../../../../strategies/", import.meta.url);

type Params = { readonly name: string; readonly schema: JsonSchema };

/** Of each strategy that ships. */
const strategyParams = (): Promise<readonly Params[]> =>
  Promise.all(
    shippedStrategies.map(async (name) => {
      const { strategy } = (await import(new URL(`${name}.ts`, STRATEGIES).href)) as {
        readonly strategy: { readonly params: z.ZodType };
      };
      const { $schema: _dialect, ...schema } = writtenSchema(strategy.params);
      return { name, schema };
    }),
  );

export const keysOfBot = (): readonly Key[] => [...keysIn(writtenSchema(botSchema))];

/** What an editor checks a bot's file by: with a strategy's name, its parameters. */
export async function botJsonSchema(): Promise<JsonSchema> {
  const schema = writtenSchema(botSchema);
  const market = ["accounts", "markets"].reduce<JsonSchema>((at, list) => {
    const items = isSchema(at.properties?.[list]) ? at.properties[list].items : undefined;
    if (!isSchema(items)) throw new Error(`the schema has no list ${list}`);
    return items;
  }, schema);
  const params = await strategyParams();
  market.anyOf = [
    ...params.map(({ name, schema: of }) => ({ properties: { strategy: { const: name }, params: of } })),
    { properties: { strategy: { not: { enum: [...shippedStrategies] } } } },
  ];
  return { ...schema, title: "Configuration of a Quoin bot" };
}

export async function referenceText(): Promise<string> {
  const params = await strategyParams();
  return [
    "# Configuration of the bot",
    "",
    "Made from the schema by `npx vitest run test/unit/bot/config/reference.test.ts -u`; a test fails when the two differ.",
    "",
    "Prices (USD), sizes (contracts) and amounts (USDC) are human decimals, read exactly; paths are relative to the file. A key that is not",
    "here, and a value that is not allowed, is refused at its line and column, with what would be allowed: `npx quoin check --config FILE`",
    "lists all faults at once. An editor with a YAML language server completes keys from `config/quoin.schema.json`; the first line of each",
    "file in `config/` names it. SIGHUP, or saving the file, applies changes while the daemon runs; what loosens a limit waits for SIGHUP.",
    "",
    "–: required. none: without it, what the meaning says.",
    "",
    "| Key | Allowed | Unit | Default | Meaning | Danger |",
    "| --- | --- | --- | --- | --- | --- |",
    ...keysOfBot().map(
      ({ path, allowed, unit, byDefault, says, danger }) =>
        `| \`${path}\` | ${allowed} | ${unit} | ${byDefault} | ${says} | ${danger} |`,
    ),
    "",
    ...params.flatMap(({ name, schema }) => [
      `## Parameters of ${name}`,
      "",
      ...strategyTable([...keysIn(schema)]),
      "",
    ]),
  ].join("\n");
}

const strategyTable = (keys: readonly Key[]): readonly string[] =>
  keys.length === 0
    ? ["None."]
    : [
        "| Key | Allowed | Default | Meaning |",
        "| --- | --- | --- | --- |",
        ...keys.map(({ path, allowed, byDefault, says }) => `| \`${path}\` | ${allowed} | ${byDefault} | ${says} |`),
      ];

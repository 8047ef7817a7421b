// docs/configuration.md and config/quoin.schema.json, made from the schema of the bot's configuration and of the strategies that ship.
// The parameters of the strategies are listed in docs/strategies.md: test/unit/strategies/parameters.ts.

import type { z } from "zod";
import { botSchema } from "../../../../src/bot/config/schema.ts";
import {
  isSchema,
  type JsonSchema,
  type Key,
  keysIn,
  keyYaml,
  writtenSchema,
} from "../../../support/configuration-keys.ts";
import { shippedStrategies } from "../../../support/shipped-strategies.ts";

const STRATEGIES = new URL("../../../../strategies/", import.meta.url);

export type StrategyParams = { readonly name: string; readonly schema: JsonSchema };

/** Of each strategy that ships. */
export const strategyParams = (): Promise<readonly StrategyParams[]> =>
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

/** What a heading stands over; a key belongs to the last one that begins its path. */
const SECTIONS = [
  ["", "The rest"],
  ["venue.", "The exchange"],
  ["venue.dialect.", "What an exchange's interface does not show"],
  ["accounts[].", "An account"],
  ["accounts[].paper.", "An account on paper"],
  ["accounts[].limits.", "Limits of an account"],
  ["accounts[].markets[].", "A market"],
  ["accounts[].markets[].shadow.", "A market's shadow"],
  ["accounts[].markets[].limits.", "Limits of a market"],
  ["accounts[].markets[].premiumBook.", "A market's premium book"],
  ["accounts[].markets[].printSchedule.", "When a market's index prints"],
  ["signals[].", "An outside fact"],
  ["server.", "HTTP of the daemon"],
  ["watchdog.", "The watchdog"],
  ["ledger.", "The ledger"],
  ["recording.", "Recording"],
  ["fleet.", "Several machines"],
  ["webhook.", "Critical events by webhook"],
  ["log.", "The log"],
] as const;

export function referenceText(): string {
  const bySection = Map.groupBy(keysOfBot(), ({ path }) => SECTIONS.findLast(([start]) => path.startsWith(start)));
  return [
    "# Configuration of the bot",
    "",
    "Made from the schema by `npx vitest run test/unit/bot/config/reference.test.ts -u`; a test fails when the two differ.",
    "",
    "Prices (USD), sizes (contracts) and amounts (USDC) are decimals, read exactly; paths are relative to the file. A key that is not here, and a",
    "value that is not allowed, is refused: `npx quoin check --config FILE` lists all faults at once, each with line, column and what is allowed.",
    "An editor with a YAML language server completes keys from `config/quoin.schema.json`; the first line of each file in `config/` names it.",
    "Saving the file, or SIGHUP, applies changes while the daemon runs; what loosens a limit waits for SIGHUP ([control](operating.md#control)).",
    "",
    "Beside each key its default, what is allowed, and what it means; ↑ or ↓: the direction in which a limit lets more pass.",
    "",
    ...SECTIONS.flatMap((section) => {
      const [start, title] = section;
      const keys = bySection.get(section) ?? [];
      const within = keys.map((key) => ({ ...key, path: key.path.slice(start.length) }));
      return keys.length === 0
        ? []
        : [`## ${title}${start === "" ? "" : `: \`${start.slice(0, -1)}\``}`, "", ...keyYaml(within), ""];
    }),
  ].join("\n");
}

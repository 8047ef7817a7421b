// The winner of a search as `shadow:` of its markets: text to paste, and a copy of the configuration with it. The shadow trades on paper
// beside the present strategy until `quoin promote` makes it live.

import { type Setting, withSettings } from "../../bot/config/setting.ts";
import { stringifyJson } from "../../kernel/json.ts";
import { withPair } from "../../kernel/yaml/edit.ts";
import { listAt, mappingOf } from "../../kernel/yaml/partial-parse.ts";
import { readYaml } from "../../kernel/yaml/yaml.ts";
import { placeOf } from "./space.ts";

type Shadow = {
  /** `accounts.12.markets.1`. */
  readonly path: string;
  /** Positions in the file's lists. */
  readonly at: readonly [account: number, market: number];
  /** YAML on one line. */
  readonly written: string;
};

/** One shadow for each market that the settings change. `text`: the configuration's. Throws SettingError for a place that it does not have. */
function shadowsOf(text: string, settings: readonly Setting[]): readonly Shadow[] {
  const file = withSettings(readYaml(text).value, settings);
  const accounts = listAt(file, "accounts");
  const places = Map.groupBy(
    settings.map(({ path }) => placeOf(path)),
    ({ account, market }) => `${account} ${market}`,
  );
  return [...places.values()].flatMap(([place]) => {
    if (place === undefined) return [];
    const { account, market } = place;
    const accountAt = accounts.findIndex((one) => String(mappingOf(one).accountId) === account);
    const markets = listAt(accounts[accountAt], "markets");
    const marketAt = markets.findIndex((one) => String(mappingOf(one).marketId) === market);
    const { strategy, params } = mappingOf(markets[marketAt]);
    const path = `accounts.${account}.markets.${market}`;
    return [{ path, at: [accountAt, marketAt] as const, written: flowText({ strategy, params }) }];
  });
}

/** The shadows as lines to paste into their markets, each with the market's path above it. */
export const fragmentText = (text: string, settings: readonly Setting[]): string =>
  shadowsOf(text, settings)
    .map(({ path, written }) => `# ${path}\nshadow: ${written}\n`)
    .join("");

/** `text` with the shadows in it, all else as it is. Throws YamlEditError. */
export const withShadows = (text: string, settings: readonly Setting[]): string =>
  shadowsOf(text, settings).reduce(
    (edited, { at: [account, market], written }) =>
      withPair(edited, ["accounts", account, "markets", market], "shadow", written),
    text,
  );

function flowText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(flowText).join(", ")}]`;
  if (typeof value !== "object" || value === null) return stringifyJson(value as string);
  const pairs = Object.entries(value).map(([key, of]) => `${key}: ${flowText(of)}`);
  return pairs.length === 0 ? "{}" : `{ ${pairs.join(", ")} }`;
}

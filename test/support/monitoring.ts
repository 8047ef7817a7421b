// The rules and dashboards that config/ ships, as data, and Prometheus's own tool where it is installed.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readYaml } from "../../src/kernel/yaml/yaml.ts";
import { isInstalled } from "./installed.ts";
import { PROJECT } from "./quoin.ts";

export type Rule = {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
};

export const prometheusFile = (name: string): string => join(PROJECT, "config/prometheus", name);
export const yamlOf = (file: string): unknown => readYaml(readFileSync(file, "utf8")).value;

export const shippedRules = (): readonly Rule[] =>
  (yamlOf(prometheusFile("rules.yaml")) as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules);

export type Panel = {
  readonly title: string;
  readonly type: string;
  readonly description?: string;
  readonly targets?: readonly { readonly expr: string }[];
};

/** Panels of every dashboard, rows among them, in their order. */
export const shippedPanels = (): readonly Panel[] => {
  const folder = join(PROJECT, "config/grafana");
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .flatMap((file) => (JSON.parse(readFileSync(join(folder, file), "utf8")) as { panels: Panel[] }).panels);
};

/** `input`: its stdin. */
export const promtool = (args: readonly string[], input = "") =>
  spawnSync("promtool", args, { encoding: "utf8", input });
export const hasPromtool = isInstalled(["promtool", "--version"]);

// The rules that config/ ships, as data.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readYaml } from "../../src/kernel/yaml/yaml.ts";
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

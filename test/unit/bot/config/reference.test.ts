// The reference of the bot's configuration: complete, the one in docs/, and the JSON Schema that editors complete from.

import { readFile } from "node:fs/promises";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { devnetSchema } from "../../../../src/devnet/config/schema.ts";
import { writtenSchema } from "../../../support/configuration-keys.ts";
import { botJsonSchema, keysOfBot, referenceText } from "./reference.ts";

const folder = new URL("../../../../config/", import.meta.url);

it("every key says what it is, and every number its unit or bounds", () => {
  expect(keysOfBot().filter(({ says }) => says === undefined)).toEqual([]);
  expect(keysOfBot().filter(({ allowed }) => allowed.includes("undefined"))).toEqual([]);
});

it("no key lacks a bound or a meaning, and none says its default twice", () => {
  const text = referenceText();
  for (const { path, byDefault, says } of keysOfBot()) {
    expect(text).toMatch(new RegExp(`^ *${path.split(".").at(-1)?.replace("[]", "")}:`, "m"));
    expect(says, path).not.toMatch(new RegExp(` Default ${RegExp.escape(byDefault.replaceAll("`", ""))}[.;]`));
  }
  expect(text).not.toContain("undefined");
});

it("every limit says which direction lets more pass", () => {
  const limits = keysOfBot().filter(({ path }) => path.includes(".limits."));
  expect(limits.length).toBeGreaterThan(30);
  for (const { path, danger } of limits) expect(danger, path).toMatch(/^(higher|lower) lets more pass$/);
});

it("docs/configuration.md is the present one", async () => {
  await expect(referenceText()).toMatchFileSnapshot("../../../../docs/configuration.md");
});

it("config/quoin.schema.json and config/devnet.schema.json are the present ones", async () => {
  const text = (schema: unknown) => `${JSON.stringify(schema, null, 1)}\n`;
  await expect(text(await botJsonSchema())).toMatchFileSnapshot("../../../../config/quoin.schema.json");
  const devnet = { ...writtenSchema(devnetSchema), title: "Configuration of a Quoin devnet" };
  await expect(text(devnet)).toMatchFileSnapshot("../../../../config/devnet.schema.json");
});

describe("the JSON Schema", () => {
  it.each([
    ["demo.yaml", "quoin"],
    ["production.example.yaml", "quoin"],
    ["devnet.yaml", "devnet"],
    ["devnet-daily.yaml", "devnet"],
  ])("accepts config/%s, whose first line names it", async (file, schema) => {
    const text = await readFile(new URL(file, folder), "utf8");
    expect(text.split("\n")[0]).toBe(`# yaml-language-server: $schema=${schema}.schema.json`);
    const validate = await validatorOf(`${schema}.schema.json`);
    expect(validate(parse(text)), JSON.stringify(validate.errors)).toBe(true);
  });

  it.each([
    ["a key that is none", { venu: {} }],
    ["a strategy's parameter that is none", { params: { halfSpread: 4 } }],
    ["a limit beyond its bounds", { limits: { maxOpenOrders: 0 } }],
    ["a strategy's parameter beyond its bounds", { params: { halfSpreadBps: 6000, size: 1 } }],
  ])("refuses %s", async (_what, change) => {
    const demo = parse(await readFile(new URL("demo.yaml", folder), "utf8"));
    const validate = await validatorOf("quoin.schema.json");
    if ("venu" in change) Object.assign(demo, change);
    else Object.assign(demo.accounts[0].markets[0], change);
    expect(validate(demo)).toBe(false);
  });
});

async function validatorOf(file: string) {
  const ajv = new Ajv({ strict: false, logger: false });
  return ajv.compile(JSON.parse(await readFile(new URL(file, folder), "utf8")));
}

// The reference of the bot's configuration: complete, the one in docs/, and the JSON Schema that editors complete from.

import { readFile } from "node:fs/promises";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
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

const shipped = ["demo", "production.example", "container.example", "fleet.example", "devnet", "devnet-daily"];
const readers = ["ajv", "ajv without the u flag", "zod"] as const;

const wrong: readonly (readonly [string, object])[] = [
  ["an unknown key", { venu: {} }],
  ["a file name with a control character", { ledger: { file: "var/quoin\u0007.sqlite" } }],
  ["a strategy's name with a control character", { strategy: "lad\u0085der" }],
  ["an unknown parameter of a strategy", { params: { halfSpread: 4 } }],
  ["a limit beyond its bounds", { limits: { maxOpenOrders: 0 } }],
  ["a strategy's parameter beyond its bounds", { params: { halfSpreadBps: 6000, size: 1 } }],
];

describe.each(readers)("the JSON Schema as %s reads it", (reader) => {
  it.each(shipped)("accepts config/%s.yaml, whose first line names it", async (name) => {
    const text = await readFile(new URL(`${name}.yaml`, folder), "utf8");
    const schema = `${name.startsWith("devnet") ? "devnet" : "quoin"}.schema.json`;
    expect(text.split("\n")[0]).toBe(`# yaml-language-server: $schema=${schema}`);
    expect((await readerOf(reader, schema))(parse(text))).toEqual([]);
  });

  // zod passes over parts of no type, among them a strategy's parameters: which apply depends on the strategy's name.
  it.each(wrong.filter(([, change]) => reader !== "zod" || !("params" in change)))(
    "refuses %s",
    async (_what, change) => {
      const demo = parse(await readFile(new URL("demo.yaml", folder), "utf8"));
      Object.assign("venu" in change || "ledger" in change ? demo : demo.accounts[0].markets[0], change);
      expect((await readerOf(reader, "quoin.schema.json"))(demo)).not.toEqual([]);
    },
  );
});

type Reader = (value: unknown) => readonly unknown[];
const compiled = new Map<string, Promise<Reader>>();

/** Reads our JSON Schemas as others do; the reader lists what is wrong with a value. */
function readerOf(reader: (typeof readers)[number], file: string): Promise<Reader> {
  const key = `${reader} ${file}`;
  const found = compiled.get(key) ?? compile(reader, file);
  compiled.set(key, found);
  return found;
}

async function compile(reader: (typeof readers)[number], file: string): Promise<Reader> {
  const schema = JSON.parse(await readFile(new URL(file, folder), "utf8"));
  if (reader === "zod") {
    const whole = z.fromJSONSchema(schema);
    return (value) => whole.safeParse(value).error?.issues ?? [];
  }
  const validate = new Ajv({ strict: false, logger: false, unicodeRegExp: reader === "ajv" }).compile(schema);
  return (value) => (validate(value) ? [] : (validate.errors ?? []));
}

// Another's judge of JSON Schema. It reads numbers as doubles: their last digits are judged by whoever reads them exactly.

import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { expect } from "vitest";
import { type Json, stringifyJson } from "../../../src/kernel/json.ts";
import type { JsonSchema } from "../../../src/wire/description.ts";

const ajv = new Ajv2020({ strict: true, validateFormats: false, allowUnionTypes: true });
/** To compile a schema takes a hundred times what a validation takes. */
const compiled = new WeakMap<object, ValidateFunction>();

/** What the schema finds wrong with the JSON text; null: nothing. */
export function faultsOf(schema: JsonSchema, text: string): unknown {
  const validate = compiled.get(schema) ?? ajv.compile(JSON.parse(stringifyJson(schema as Json)));
  compiled.set(schema, validate);
  return validate(JSON.parse(text)) ? null : validate.errors;
}

export function expectOfSchema(schema: JsonSchema, text: string): void {
  expect(faultsOf(schema, text), text.slice(0, 2000)).toBeNull();
}

// Permission is a type: what the guard has not judged does not pass for approved, and nobody else casts it so.

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, expectTypeOf, test } from "vitest";
import type { Approved } from "../../../../src/bot/risk/approved.ts";
import { check } from "../../../../src/bot/risk/guard.ts";
import type { Command, PlaceCommand } from "../../../../src/domain/command.ts";
import { healthy } from "./closings.ts";
import { place } from "./healthy.ts";

test("an approved command is a command, a command is not approved", () => {
  expectTypeOf<Approved<PlaceCommand>>().toExtend<PlaceCommand>();
  expectTypeOf<PlaceCommand>().not.toExtend<Approved<PlaceCommand>>();
  expectTypeOf<Approved<PlaceCommand>>().toExtend<Approved>();
  const take = (approved: readonly Approved[]): number => approved.length;
  const bare: readonly Command[] = [place("buy", 199, 1)];
  const { approved } = check(bare, healthy.view, healthy.limits, healthy.state);
  expect(take(approved)).toBe(1);
  // @ts-expect-error: the guard has not seen it
  expect(take(bare)).toBe(1);
  // @ts-expect-error: a changed copy is another command
  expect(take(approved.map((command) => ({ ...command, marketId: 2 })))).toBe(1);
});

test("forbidden: a cast to Approved anywhere but in the guard", () => {
  const source = resolve(import.meta.dirname, "../../../../src");
  const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
  const casts = files.filter((path) =>
    /\bas\s+(?:unknown\s+as\s+)?(?:readonly\s+)?Approved\b/.test(readFileSync(join(source, path), "utf8")),
  );
  expect(casts).toEqual(["bot/risk/guard.ts"]);
});

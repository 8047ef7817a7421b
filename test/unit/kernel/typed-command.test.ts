// Commands that Quoin prints run where they are printed: in a checkout, beside one, and as an installed package.

import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { commandText, programsIn, shellWord } from "../../../src/kernel/typed-command.ts";

const folder = (path: string): string => resolve(path);
const house = (path: string): string => `${resolve(path)}/`;

test.each([
  ["in the checkout", folder("/home/me/quoin"), "npx quoin", "npx node"],
  ["in a folder of the checkout", folder("/home/me/quoin/my"), "npx quoin", "npx node"],
  ["elsewhere", folder("/home/me"), "/home/me/quoin/src/start.js", "/home/me/quoin/node_modules/.bin/node"],
  ["in a folder whose name begins as the checkout's", folder("/home/me/quoin-2"), "/home/me/quoin/src/start.js"],
] as const)("a checkout, %s", (_, at, quoin, node = "/home/me/quoin/node_modules/.bin/node") => {
  expect(programsIn(at, house("/home/me/quoin"), true)).toEqual({ quoin, node });
});

test.each([
  ["for all, it is on the PATH", "/home/me", "/usr/local/lib/node_modules/quoin/dist", "quoin"],
  [
    "for all, in its own folder, as in the container",
    "/lib/node_modules/quoin/dist",
    "/lib/node_modules/quoin/dist",
    "quoin",
  ],
  ["for a project, only npx finds it", "/home/me/desk", "/home/me/desk/node_modules/quoin/dist", "npx quoin"],
  ["for a project, in a folder of it", "/home/me/desk/live", "/home/me/desk/node_modules/quoin/dist", "npx quoin"],
  ["for a project, elsewhere", "/home/me/other", "/home/me/desk/node_modules/quoin/dist", "quoin"],
] as const)("the package, installed %s", (_, at, installed, quoin) => {
  expect(programsIn(folder(at), house(installed), false)).toEqual({ quoin, node: "node" });
});

test.each(["my/quoin.yaml", "a file.yaml", "it's.yaml", "$(reboot).yaml", "a;b", "*", "~/x", ""])(
  "a shell reads %j as one word, as it is",
  (text) => {
    expect(execFileSync("/bin/sh", ["-c", `printf %s ${shellWord(text)}`], { encoding: "utf8" })).toBe(text);
  },
);

test("a command names the configuration that it reads", () => {
  expect(commandText("doctor --live-test", "my own.yaml")).toBe("npx quoin doctor --live-test --config 'my own.yaml'");
  expect(commandText("keygen --out FILE")).toBe("npx quoin keygen --out FILE");
});

// The package of `npm pack`, as the image installs it and as a user does: it trades, compares, serves its page and offers its types, with
// nothing of a checkout near it.

import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { configurations } from "../../release/package.ts";
import { documents } from "../../src/cli/mcp.ts";
import { execForm, ignoredBy, parseDockerfile, walk } from "../support/dockerfile.ts";
import { endAll, PROJECT, quoinProcess } from "../support/quoin.ts";
import { scratchFolder } from "../support/scratch.ts";
import { until } from "../support/until.ts";
import { statusOf } from "./operator.ts";

const run = promisify(execFile);
const scratch = scratchFolder("package");
const checkout = join(scratch, "checkout");
const work = join(scratch, "work");
/** By these a machine reaches the network; nothing else of its environment comes along. */
const NETWORK = /^(NODE_EXTRA_CA_CERTS|npm_config_registry|(HTTPS?|NO)_PROXY)$/i;
/** On it `node` is the pinned runtime, and npm has the machine's cache. */
const env = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => NETWORK.test(name))),
  PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  HOME: process.env.HOME ?? "",
};
const COPIED = ["src", "strategies", "config", "docs", "release", "tsconfig.json", "package.json", "package-lock.json"];
const instructions = parseDockerfile(readFileSync(join(PROJECT, "Dockerfile"), "utf8"));

let root = "";
const inImage = (path: string): string => join(root, path);
const bin = (): string => inImage("app/bin/quoin");
const quoin = (...args: readonly string[]) => run(bin(), args, { cwd: work, env });

beforeAll(async () => {
  mkdirSync(checkout);
  mkdirSync(work);
  for (const name of [...COPIED, "README.md", "LICENSE", ".npmrc"])
    cpSync(join(PROJECT, name), join(checkout, name), { recursive: true });
  symlinkSync(join(PROJECT, "node_modules"), join(checkout, "node_modules"));
  for (const name of ["mine.yaml", "agent.pem", "prometheus/mine.yaml"])
    writeFileSync(join(checkout, "config", name), "a user's own\n");
  await run("npm", ["pack"], { cwd: checkout, env });
  // With a prefix of its own npm looks for the machine's settings below it.
  const { stdout: globalConfig } = await run("npm", ["config", "get", "globalconfig"], { cwd: checkout, env });
  // The packages are in npm's cache since the `npm ci` that brought this test; what the registry says of them may not be.
  root = walk(instructions, {
    context: checkout,
    scratch,
    ignored: ignoredBy(readFileSync(join(PROJECT, ".dockerignore"), "utf8")),
    env: { ...env, npm_config_prefer_offline: "true", npm_config_globalconfig: globalConfig.trim() },
  });
});
afterAll(endAll);

test("packing leaves the checkout as it was", () => {
  expect(readFileSync(join(checkout, "package.json"), "utf8")).toBe(
    readFileSync(join(PROJECT, "package.json"), "utf8"),
  );
  expect(readdirSync(checkout).toSorted()).toEqual(
    [...COPIED, ".npmrc", "LICENSE", "README.md", "dist", "node_modules", `quoin-${manifest.version}.tgz`].toSorted(),
  );
});

test("the image starts it, and has it on the PATH", async () => {
  const said = { stdout: `${manifest.version}\n`, stderr: "" };
  const [program, script] = execForm(instructions.find(({ name }) => name === "ENTRYPOINT")?.text ?? "");
  expect(program).toBe("node");
  expect(await run(process.execPath, [inImage(script ?? ""), "--version"])).toEqual(said);
  expect(instructions.find(({ name }) => name === "ENV")?.text).toMatch(/ PATH=\/app\/bin:\$PATH$/);
  expect(await quoin("--version")).toEqual(said);
});

test("it holds what production needs, at the locked versions, and no more", () => {
  const modules = inImage("app/lib/node_modules/quoin/node_modules");
  const installed = readdirSync(modules);
  expect(installed).toContain("pino");
  expect(installed).not.toContain("vitest");
  expect(installed.filter((name) => name.startsWith("node-"))).toEqual([]);
  for (const [name, version] of Object.entries(manifest.dependencies))
    expect(JSON.parse(readFileSync(join(modules, name, "package.json"), "utf8"))).toMatchObject({ version });
  const files = readdirSync(inImage("app/lib/node_modules/quoin"), { recursive: true, encoding: "utf8" });
  const sources = files.filter((name) => !name.startsWith("node_modules") && /(?<!\.d)\.ts$/.test(name));
  for (const name of documents) expect(files).toContain(`dist/docs/${name}.md`);
  expect(sources.toSorted()).toEqual(["dist/strategies/template/own.test.ts", "dist/strategies/template/own.ts"]);
  expect(existsSync(inImage("app/quoin-0.1.0.tgz"))).toBe(false);
  expect(readdirSync(inImage("var/lib/quoin"))).toEqual([]);
});

test("forbidden: a configuration of the user's own in it", () => {
  const config = inImage("app/lib/node_modules/quoin/dist/config");
  const entries = readdirSync(config, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(config, join(parentPath, name)));
  expect(files.toSorted()).toEqual(configurations.toSorted());
});

describe("from an empty folder", () => {
  const at = (name: string): string => join(work, name);
  /** Of a file in program/, as a compiler does that has no tsconfig.json. Rejects where it finds a fault. */
  const typeCheck = (...args: readonly string[]) =>
    run(join(PROJECT, "node_modules/.bin/tsc"), ["--noEmit", "--strict", "--module", "nodenext", ...args], {
      cwd: at("program"),
      env,
    });

  beforeAll(() => {
    mkdirSync(at("program/node_modules"), { recursive: true });
    symlinkSync(inImage("app/lib/node_modules/quoin"), at("program/node_modules/quoin"));
    writeFileSync(at("program/package.json"), `{ "type": "module" }`);
  });

  test("it quotes with a shipped strategy, and serves its page", async () => {
    const demo = readFileSync(inImage("app/lib/node_modules/quoin/dist/config/demo.yaml"), "utf8")
      .replace("embedded: devnet.yaml", `embedded: ${inImage("app/lib/node_modules/quoin/dist/config/devnet.yaml")}`)
      .replace(/port: \d+/, "port: 0");
    writeFileSync(at("demo.yaml"), demo);
    const daemon = quoinProcess(["run", "--config", at("demo.yaml")], { cwd: work, starter: bin(), env });
    const url = await daemon.seen("its address", (text) => /"event":"ready","url":"([^"]+)"/.exec(text)?.[1]);
    await until("quotes", async () => ((await statusOf(url)).accounts[0]?.markets[0]?.bids.length ?? 0) > 0);
    for (const file of ["", "page.js", "page.css", "icon.svg", "lib/preact.js", "lib/charts.js"])
      expect((await fetch(`${url}/${file}`)).status).toBe(200);
    expect(await daemon.end()).toBe(0);
  });

  test("it writes a strategy whose types, test and backtest work there", async () => {
    const wrote = await quoin("strategy", "new", "my/own.ts");
    expect(wrote.stdout, "printed commands name the program on the PATH").toContain(
      "\n  quoin check --config my/own.yaml\n",
    );
    await run(join(PROJECT, "node_modules/.bin/tsc"), ["--noEmit", "--project", "my"], { cwd: work, env });
    const { stdout: tested } = await run(process.execPath, ["--test", "my/own.test.ts"], { cwd: work, env });
    expect(tested).toMatch(/fail 0/);
    const options = ["--days", "0.01", "--warm-up", "0", "--report", "report.html", "--json"];
    const { stdout } = await quoin("backtest", "--config", "my/own.yaml", ...options);
    const [seed] = stdout.split("\n").map((line) => JSON.parse(line || "{}"));
    expect(seed.markets[0]).toMatchObject({ strategy: "own", fills: expect.any(Number) });
    expect(readFileSync(at("report.html"), "utf8")).toContain("TradingView Lightweight Charts™ v");
  });

  test("a program beside it finds the client and its types", async () => {
    const source = `import { usd, usdText } from "quoin/client";\nconst price: bigint = usd("216.5");\nconsole.log(usdText(price));\n`;
    writeFileSync(at("program/a.ts"), source.replace("bigint", "ReturnType<typeof usd>"));
    expect(await run(process.execPath, ["a.ts"], { cwd: at("program"), env })).toMatchObject({ stdout: "216.5\n" });
    writeFileSync(at("program/wrong.ts"), source.replace("bigint", "string"));
    const checked = await typeCheck("--target", "esnext", "a.ts", "wrong.ts").catch((error) => error);
    expect(checked.stdout).toMatch(/^wrong\.ts\(.*TS2322/);
    expect(checked.stdout).not.toMatch(/^a\.ts/m);
  });

  test("its types are clean where a compiler checks them too and nobody names Node's", async () => {
    const every = Object.keys(manifest.exports).map(
      (name) => `export * as ${name.slice(2)} from "quoin${name.slice(1)}";\n`,
    );
    writeFileSync(at("program/every.ts"), every.join(""));
    expect(await typeCheck("every.ts")).toMatchObject({ stdout: "" });
  });

  test("an old runtime is refused with what to do", async () => {
    const starter = readFileSync(inImage("app/lib/node_modules/quoin/dist/src/start.js"), "utf8");
    expect(starter).toBe(readFileSync(join(PROJECT, "src/start.js"), "utf8"));
    const ahead = join(scratch, "ahead", "src");
    mkdirSync(ahead, { recursive: true });
    writeFileSync(join(ahead, "main.js"), "");
    writeFileSync(join(scratch, "ahead", "package.json"), `{ "type": "module" }`);
    writeFileSync(join(ahead, "start.js"), starter.replace("NODE_MAJOR_MIN = 24", "NODE_MAJOR_MIN = 99"));
    await expect(run(process.execPath, [join(ahead, "start.js")], { env })).rejects.toMatchObject({
      code: 2,
      stderr: `quoin: Node.js ${process.versions.node} is too old; Quoin needs Node.js 99 or newer\n`,
    });
  });
});

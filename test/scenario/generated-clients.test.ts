// Clients that generators make of both OpenAPI documents: they compile, and a program on each reads and trades over HTTP.

import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { accountId } from "../../src/domain/units.ts";
import { isInstalled } from "../support/installed.ts";
import { plainAccount } from "../support/plain-exchange.ts";
import { scratchFolder } from "../support/scratch.ts";
import { agent, CHAIN_ID, signerOf } from "../unit/devnet/chain/set-up.ts";
import { ask, config, list, start, stopAll } from "./devnet-set-up.ts";

/** Beyond 2^63: exact where the language has unsigned numbers of 64 bits, or whole numbers without bound. */
const LARGE = accountId(18_446_744_073_709_551_000n);
/** For generators whose widest number is int64. */
const SMALL = accountId(9_007_199_254_740_993n);
const carol = signerOf(6);
const key = { key: "carols-key", owner: carol.publicKey };

type Generated = {
  readonly generator: string;
  /** Whether the generator is installed, and what its clients need. */
  readonly isInstalled: boolean;
  readonly account: typeof LARGE;
  /** Makes the client of `document` in `folder`, with the program that trades where it is the validator's. Resolves once it compiled. */
  readonly make: (folder: string, document: string, isValidator: boolean) => Promise<void>;
  /** The command line that trades. */
  readonly trade: (folder: string) => readonly [string, ...string[]];
};

const openApiGenerator = ["openapi-generator-cli", "openapi-generator"].find((name) =>
  // Those before 7.25 take what may be null for what may not.
  isInstalled([name, "version"], (version) => Number(/^7\.(\d+)/m.exec(version)?.[1] ?? 0) >= 25),
);

const generated: readonly Generated[] = [
  {
    generator: "oapi-codegen (Go)",
    isInstalled: isInstalled(["oapi-codegen", "-version"]) && isInstalled(["go", "version"]),
    account: LARGE,
    async make(folder, document, isValidator) {
      mkdirSync(join(folder, "venue"));
      const to = ["-package", "venue", "-o", "venue/venue.go"];
      await run(folder, "oapi-codegen", "-generate", "types,client", ...to, document);
      await builtInGo(folder, isValidator && "oapi_codegen.go");
    },
    trade: (folder) => [join(folder, "trade")],
  },
  {
    generator: "openapi-generator (Go)",
    isInstalled: openApiGenerator !== undefined && isInstalled(["go", "version"]),
    account: SMALL,
    async make(folder, document, isValidator) {
      const options = ["-p", "packageName=venue,withGoMod=false", ...WITHOUT_TESTS];
      await run(folder, `${openApiGenerator}`, "generate", "-g", "go", "-i", document, "-o", "venue", ...options);
      await builtInGo(folder, isValidator && "openapi_generator.go");
    },
    trade: (folder) => [join(folder, "trade")],
  },
  {
    generator: "openapi-generator (Java)",
    isInstalled: openApiGenerator !== undefined && isInstalled(["mvn", "-v"]),
    account: SMALL,
    async make(folder, document, isValidator) {
      await run(folder, `${openApiGenerator}`, "generate", "-g", "java", "-i", document, "-o", ".", ...WITHOUT_TESTS);
      if (isValidator) copyFileSync(join(PROGRAMS, "Trade.java"), join(folder, "src/main/java/Trade.java"));
      await run(folder, "mvn", "-q", "-B", "compile", "dependency:copy-dependencies", "-DincludeScope=runtime");
    },
    trade: (folder) => ["java", "-cp", `target/classes${delimiter}${join(folder, "target/dependency/*")}`, "Trade"],
  },
  {
    generator: "openapi-python-client",
    isInstalled:
      isInstalled(["openapi-python-client", "--version"]) &&
      isInstalled(["python3", "-c", "import attrs, cryptography, httpx"]),
    account: LARGE,
    async make(folder, document, isValidator) {
      const options = ["--output-path", "venue", "--meta", "none"];
      const { stdout } = await run(folder, "openapi-python-client", "generate", "--path", document, ...options);
      expect(stdout, "nothing is left out of the client").not.toMatch(/WARNING/);
      await run(folder, "python3", "-m", "compileall", "-q", "venue");
      if (isValidator) copyFileSync(join(PROGRAMS, "openapi_python_client.py"), join(folder, "trade.py"));
    },
    trade: () => ["python3", "trade.py"],
  },
];
const PROGRAMS = join(import.meta.dirname, "clients");
const WITHOUT_TESTS = ["--global-property", "apiTests=false,modelTests=false,apiDocs=false,modelDocs=false"];

const execute = promisify(execFile);
const run = (cwd: string, program: string, ...args: readonly string[]) =>
  execute(program, args, { cwd, maxBuffer: 64 * 2 ** 20 });

async function builtInGo(folder: string, program: string | false): Promise<void> {
  writeFileSync(join(folder, "go.mod"), "module example.com/trade\n\ngo 1.24\n");
  if (program) copyFileSync(join(PROGRAMS, program), join(folder, "main.go"));
  await run(folder, "go", "mod", "tidy");
  await run(folder, "go", "vet", "./...");
  if (program) await run(folder, "go", "build", "-o", "trade", ".");
}

afterEach(stopAll);

describe.each(generated)("a client by $generator", ({ generator, isInstalled, account, make, trade }) => {
  if (!isInstalled) console.warn(`skipped: ${generator}, or what its clients need, is not installed`);

  // Generators and compilers of other languages come with no package of npm: the line above names what is missing.
  it.skipIf(!isInstalled)("compiles from both documents, reads, places, cancels and tells a refusal", async () => {
    const owned = plainAccount({
      accountId: account,
      owner: carol.publicKey,
      agents: [{ pubkey: agent.publicKey, name: "bot", expiresAtSec: null }],
    });
    const devnet = await start({ ...config, accounts: [owned], apiKeys: [key], sessions: [], users: [] });
    for (const [name, url] of Object.entries({ rest: devnet.restUrl, validator: devnet.validatorUrl })) {
      const folder = scratchFolder(`client-${name}`);
      writeFileSync(join(folder, "openapi.json"), (await ask(`${url}/openapi.json`)).text);
      await make(folder, "openapi.json", name === "validator");
      if (name !== "validator") continue;
      const [program, ...args] = trade(folder);
      const seed = "03".repeat(32);
      const { stdout } = await run(folder, program, ...args, url, CHAIN_ID, `${account}`, seed, agent.publicKey);
      const orders = await list(`${devnet.restUrl}/v1/accounts/${account}/orders`, {
        headers: { "X-API-Key": key.key },
      });
      expect(orders.map(({ orderId, status }) => `${orderId} ${status}`)).toEqual([`${stdout.trim()} Canceled`]);
    }
  });
});

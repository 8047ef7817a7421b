// The package as a user gets it: packed, installed in an empty folder, and quoting on the exchange that it brings.

import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

const run = promisify(execFile);
const QUOTES_MS_MAX = 60_000;
const POLL_MS = 200;

/** Leaves the tarball in the checkout `project`. Rejects with what failed: packing, installing, or quoting. */
export async function packAndQuote(project: string): Promise<{ readonly tarball: string }> {
  const { stdout } = await run("npm", ["pack", "--silent"], { cwd: project });
  const tarball = stdout.trim().split("\n").at(-1) ?? "";
  const folder = mkdtempSync(join(tmpdir(), "quoin-release-"));
  try {
    await run("npm", ["install", "--silent", "--prefix", folder, "--global", join(project, tarball)], { cwd: folder });
    await quote(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { tarball };
}

/** Resolves once the daemon has orders on both sides of its demo, and has stopped without any. */
async function quote(folder: string): Promise<void> {
  const shipped = join(folder, "lib", "node_modules", "quoin", "dist", "config");
  const config = join(folder, "demo.yaml");
  writeFileSync(
    config,
    readFileSync(join(shipped, "demo.yaml"), "utf8")
      .replace("embedded: devnet.yaml", `embedded: ${join(shipped, "devnet.yaml")}`)
      .replace(/port: \d+/, "port: 0"),
  );
  const daemon = spawn(join(folder, "bin", "quoin"), ["run", "--config", config], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(daemon, "exit");
  try {
    const url = await addressOf(daemon.stdout);
    const until = AbortSignal.timeout(QUOTES_MS_MAX);
    while (!(await isQuoting(url))) {
      until.throwIfAborted();
      await new Promise((done) => setTimeout(done, POLL_MS));
    }
  } finally {
    daemon.kill("SIGTERM");
  }
  const [code] = await exited;
  if (code !== 0) throw new Error(`the installed daemon ended with exit ${code}`);
}

async function addressOf(stdout: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stdout })) {
    const { event, url } = JSON.parse(line) as { readonly event?: string; readonly url?: string };
    if (event === "ready" && url !== undefined) {
      stdout.resume();
      return url;
    }
  }
  throw new Error("the installed daemon ended before it served its page");
}

type Shown = {
  readonly accounts: readonly {
    readonly markets: readonly { readonly bids: readonly unknown[]; readonly asks: readonly unknown[] }[];
  }[];
};

async function isQuoting(url: string): Promise<boolean> {
  const { accounts } = (await (await fetch(`${url}/status.json`)).json()) as Shown;
  const market = accounts[0]?.markets[0];
  return market !== undefined && market.bids.length > 0 && market.asks.length > 0;
}

// The scene of a bench of the whole daemon: a folder, an agent key, and a devnet in its own process.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endAll, processDone, quoinProcess } from "../test/support/quoin.ts";

export const CHAIN_ID = "venue-v4:devnet:chain-2";
export const OWNER = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";

export type Scene = { readonly folder: string; readonly validatorUrl: string; readonly controlUrl: string };

/** Starts the devnet that `devnetYaml` describes for the agent's public key. The folder has `bot.yaml` and its `agent.key`. */
export async function startScene(
  devnetYaml: (pubkey: string) => string,
  botYaml: (validatorUrl: string) => string,
): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), "quoin-bench-"));
  const { stdout } = await processDone(["keygen", "--out", join(folder, "agent.key")]);
  writeFileSync(join(folder, "devnet.yaml"), devnetYaml(stdout.trim()));
  const ports = ["--port", "0", "--rest-port", "0", "--control-port", "0"];
  const devnet = quoinProcess(["devnet", "--config", join(folder, "devnet.yaml"), ...ports]);
  const line = await devnet.seen("the devnet's line", (text) =>
    text.split("\n").find((row) => row.includes("devnet.ready")),
  );
  const { validatorUrl, controlUrl } = JSON.parse(line) as Pick<Scene, "validatorUrl" | "controlUrl">;
  writeFileSync(join(folder, "bot.yaml"), botYaml(validatorUrl));
  return { folder, validatorUrl, controlUrl };
}

/** Ends every process of the bench. */
export async function endScene({ folder }: Scene): Promise<void> {
  await endAll();
  rmSync(folder, { recursive: true, force: true });
}

/** Orders at the exchange, in one market or in all; undefined if it did not answer, as it may under faults. */
export async function restingIn({ validatorUrl }: Scene, market: number | null): Promise<number | undefined> {
  try {
    const account = (await (await fetch(`${validatorUrl}/v1/accounts/12`)).json()) as {
      readonly openOrders: readonly { readonly marketId: number }[];
    };
    return account.openOrders.filter(({ marketId }) => market === null || marketId === market).length;
  } catch {
    return undefined;
  }
}

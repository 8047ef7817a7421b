// `quoin devnet verify`: replays a kept chain from genesis, checks every signature, and compares the result with the chain's state.

import { StoreError } from "../devnet/chain/log/disk.ts";
import { openDisk } from "../devnet/chain/log/store.ts";
import { verifyChain } from "../devnet/chain/log/verify.ts";
import { EXIT_DONE, EXIT_FAILED, type ExitCode, type Host } from "../host/host.ts";
import { createVerifier } from "../wire/signing.ts";

export function devnetVerify(options: { readonly dataDir: string; readonly json: boolean }, host: Host): ExitCode {
  try {
    const report = verifyChain(openDisk(options.dataDir), createVerifier());
    const { chainId, height, blocks, transactions, snapshots, stateRoot } = report;
    const counted = `${blocks} blocks, ${transactions} transactions, ${snapshots} snapshots`;
    host.stdout(
      options.json
        ? `${JSON.stringify({ ok: true, ...report })}\n`
        : `${chainId} is whole to height ${height}: ${counted}, root ${stateRoot}\n`,
    );
    return EXIT_DONE;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (options.json) host.stdout(`${JSON.stringify({ ok: false, code: error.code, error: error.message })}\n`);
    else host.stderr(`${options.dataDir}: ${error.message}\n`);
    return EXIT_FAILED;
  }
}

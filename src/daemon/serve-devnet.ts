// Starts the embedded exchange with the machine behind it; `quoin devnet` and a daemon with `embedded` share it.

import type { Log } from "../bot/telemetry/log.ts";
import type { Disk } from "../devnet/chain/log/disk.ts";
import type { DevnetConfig } from "../devnet/config/config.ts";
import { type Devnet, type DevnetAddress, startDevnet } from "../devnet/devnet.ts";
import { gapsText } from "../domain/index-series.ts";
import type { Host } from "../host/host.ts";
import { createSigner, createVerifier } from "../wire/signing.ts";

/** Without a disk it forgets at its end. Throws ListenError when an address cannot be had, StoreError when the disk cannot be used. */
export function serveDevnet(
  config: DevnetConfig,
  address: DevnetAddress,
  host: Host,
  log: Log,
  disk?: Disk,
): Promise<Devnet> {
  for (const gap of gapsIn(config)) log.warn({ event: "devnet.indexGaps" }, `${gap}; no prints there`);
  return startDevnet(
    config,
    {
      clock: host.clock,
      verifier: createVerifier(),
      enclave: { entropy: host.entropy, signerOf: createSigner },
      ...(disk && { disk }),
      log: (message, facts) => log.warn({ event: "devnet", ...facts }, message),
    },
    address,
  );
}

/** Where the histories of a devnet's indices lack prints, a sentence a market. */
export const gapsIn = ({ markets }: DevnetConfig): readonly string[] =>
  markets.flatMap(({ marketId, oracle }) => {
    const gaps = oracle.source === "csv" ? gapsText(oracle.series.gaps) : null;
    return gaps === null ? [] : [`the index history of market ${marketId} has ${gaps}`];
  });

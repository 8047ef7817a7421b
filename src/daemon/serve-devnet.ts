// Starts the embedded exchange on the real machine: for `quoin devnet`, and inside the daemon of a configuration with `venue.embedded`.

import type { AgentKey } from "../bot/execution/agent-key.ts";
import { StartError } from "../bot/service/lifecycle/start-error.ts";
import type { Log } from "../bot/telemetry/log.ts";
import type { Disk } from "../devnet/chain/log/disk.ts";
import type { DevnetConfig } from "../devnet/config/config.ts";
import { anyFreePort, type Devnet, type DevnetAddress, startDevnet } from "../devnet/devnet.ts";
import { gapsText } from "../domain/index-series.ts";
import type { AccountId } from "../domain/units.ts";
import type { Host } from "../host/host.ts";
import { createSigner, createVerifier } from "../wire/signing.ts";

/** Without `disk` the exchange keeps nothing. Throws ListenError when an address is taken, StoreError when the disk cannot be used. */
export function serveDevnet(
  config: DevnetConfig,
  address: DevnetAddress,
  host: Host,
  log: Log,
  disk?: Disk,
): Promise<Devnet> {
  for (const gap of gapsIn(config)) log.warn({ event: "devnet.indexGaps" }, `${gap}; no prints there`);
  for (const { marketId, oracle } of config.markets)
    if (oracle.source === "csv" && oracle.choice !== null)
      log.info(
        { event: "devnet.indexColumn", market: marketId },
        `the index file of market ${marketId} ${oracle.choice}`,
      );
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

/** One sentence per market whose index history lacks prints. */
export const gapsIn = ({ markets }: DevnetConfig): readonly string[] =>
  markets.flatMap(({ marketId, oracle }) => {
    const gaps = oracle.source === "csv" ? gapsText(oracle.series.gaps) : null;
    return gaps === null ? [] : [`the index history of market ${marketId} has ${gaps}`];
  });

/**
 * Starts the exchange that a bot's configuration embeds and approves the bot's keys on it. Throws StartError when an account is not there.
 */
export async function startEmbedded(
  config: DevnetConfig,
  keys: ReadonlyMap<AccountId, AgentKey>,
  host: Host,
  log: Log,
): Promise<Devnet> {
  const devnet = await serveDevnet(config, anyFreePort, host, log);
  const { validatorUrl, controlUrl } = devnet;
  log.info(
    { event: "devnet.ready", validatorUrl, controlUrl },
    `the embedded exchange runs at ${validatorUrl}, its control listener at ${controlUrl}`,
  );
  for (const [accountId, key] of keys) {
    const agent = { pubkey: key.publicKey, name: "quoin", expiresAtSec: null };
    const receipt = devnet.chain.control.approveAgent(accountId, agent);
    if (receipt.status === "success") continue;
    await devnet.close();
    throw new StartError("configuration", `the embedded devnet cannot serve account ${accountId}: ${receipt.error}`);
  }
  return devnet;
}

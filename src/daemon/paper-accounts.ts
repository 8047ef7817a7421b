// The paper accounts of a configuration: opens the paper exchange that they trade on and keeps each account in a file beside the ledger.
// The file is written in the background and holds only the newest state.

import { readFileSync, renameSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import type { BotConfig } from "../bot/config/config.ts";
import type { AgentKey } from "../bot/execution/agent-key.ts";
import type { Shadows } from "../bot/live/shadow.ts";
import { readAtStart } from "../bot/service/lifecycle/start-checks.ts";
import type { Supervise } from "../bot/strategy/supervised.ts";
import type { Log } from "../bot/telemetry/log.ts";
import type { Venue } from "../bot/venue/port.ts";
import type { AccountId } from "../domain/units.ts";
import type { Host } from "../host/host.ts";
import type { Prng } from "../kernel/prng.ts";
import { openPaper, type PaperQuoted } from "../paper/open-paper.ts";
import { forgetfulStore, type PaperStore } from "../paper/paper-exchange.ts";
import { createShadows } from "../paper/shadows.ts";
import { createSigner, createVerifier } from "../wire/signing.ts";

/** Shadow strategies, and the venue through which the trading strategies see the exchange from now on. */
export const withShadows = (
  real: Venue,
  prng: Prng,
  { clock, entropy, version, commit }: Host,
  log: Log,
  supervise: Supervise,
): Shadows & { readonly venue: Venue } =>
  createShadows(real, {
    clock,
    log,
    prng,
    supervise,
    version,
    commit,
    verifier: createVerifier(),
    enclave: { entropy, signerOf: createSigner },
  });

/** The venue with the paper accounts' exchange in front of it. Throws StartError. */
export async function withPaper(
  { venue: { chainId }, accounts, ledger: { file } }: BotConfig,
  keys: ReadonlyMap<AccountId, AgentKey>,
  real: Venue,
  prng: Prng,
  { clock, entropy }: Host,
  log: Log,
): Promise<Venue> {
  const onPaper = accounts.flatMap(({ accountId, paper, markets }): PaperQuoted[] => {
    if (paper === null) return [];
    const { publicKey } = keys.get(accountId) as AgentKey;
    const assumedFeeBps = Math.max(...markets.map(({ limits }) => limits.assumedFeeBps));
    return [{ accountId, paper, publicKey, markets: markets.map(({ marketId }) => marketId), assumedFeeBps }];
  });
  return await openPaper(chainId, onPaper, real, {
    clock,
    prng,
    verifier: createVerifier(),
    enclave: { entropy, signerOf: createSigner },
    log: (message, facts) => log.warn({ event: "paper", ...facts }, message),
    read: (what, read) => readAtStart(what, read, clock),
    storeOf: (accountId) =>
      file === null
        ? forgetfulStore
        : paperFile(`${file}.paper-${accountId}`, clock.wallMs, (err) =>
            log.warn(
              { event: "paper.unwritten", err },
              "the paper account cannot be saved; it is lost when this process ends",
            ),
          ),
  });
}

/** `onFailed` is called once, when a write fails. */
function paperFile(file: string, nowMs: () => number, onFailed: (error: unknown) => void): PaperStore {
  let next: string | null = null;
  let writing: Promise<void> | null = null;
  let hasFailed = false;

  async function write(): Promise<void> {
    while (next !== null) {
      const text = next;
      next = null;
      try {
        await writeFile(`${file}.new`, text, { mode: 0o600 });
        await rename(`${file}.new`, file);
      } catch (error) {
        if (!hasFailed) onFailed(error);
        hasFailed = true;
      }
    }
    writing = null;
  }

  return {
    load() {
      try {
        return readFileSync(file, "utf8");
      } catch {
        return null; // there is none yet
      }
    },
    keep(text) {
      next = text;
      writing ??= write();
    },
    settled: () => writing ?? Promise.resolve(),
    setAside() {
      const aside = `${file}.until-${nowMs()}`;
      renameSync(file, aside);
      return aside;
    },
  };
}

// Cross-field rules of a bot's file: each reads more than one value.

import { accountNumber, marketNumber, sizeContracts } from "../../domain/scalars.ts";
import { isLoopback } from "../../kernel/loopback.ts";
import type { Fault } from "../../kernel/yaml/fault.ts";
import { listAt, type Mapping, mappingOf, readAs, repeated } from "../../kernel/yaml/partial-parse.ts";
import { botSchema } from "./schema.ts";
import { signalFaults } from "./signals.ts";

type At = (path: readonly PropertyKey[], message: string) => Fault;

/** `value`: the whole file, valid or not. `resolve`: returns the file of a path. */
export function* crossFieldFaults(value: unknown, at: At, resolve: (path: string) => string): Generator<Fault> {
  const { venue, watchdog, server, fleet } = mappingOf(value);
  const accounts = listAt(value, "accounts").map(mappingOf);
  yield* venueFaults(at, venue, accounts.length > 0 && accounts.every(isOnPaper));
  const { host = "127.0.0.1", tokenFile } = readAs(botSchema.shape.server, server) ?? {};
  if (!isLoopback(host) && tokenFile === undefined)
    yield at(["server", "tokenFile"], `missing; ${host} is reached from other machines, so name the token's file`);
  const { pollMs = 0, silenceMs = 0 } = readAs(botSchema.shape.watchdog, watchdog) ?? {};
  if (pollMs * 2 > silenceMs)
    yield at(
      ["watchdog", "pollMs"],
      `${pollMs} is more than half of silenceMs, ${silenceMs}; set it to ${Math.floor(silenceMs / 2)} or less`,
    );
  yield* signalFaults(value, at);
  const isEmbedded = mappingOf(venue).embedded !== undefined;
  for (const [index, id] of repeated(accounts.map(({ accountId }) => readAs(accountNumber, accountId)))) {
    yield at(["accounts", index, "accountId"], `${id} appears twice; name each account once`);
  }
  const keyFiles = new Set<string>();
  for (const [index, account] of accounts.entries()) {
    if (account.agentKeyFile === undefined && !isEmbedded && !isOnPaper(account)) {
      yield at(["accounts", index, "agentKeyFile"], "missing; give the path of this account's agent key");
    }
    if (isOnPaper(account) && fleet !== undefined) {
      yield at(["accounts", index, "paper"], "is not allowed with fleet; run paper accounts in a daemon of their own");
    }
    yield* keyFileFaults(at, index, account, resolve, keyFiles);
    const marketIds = listAt(account, "markets").map((market) => readAs(marketNumber, mappingOf(market).marketId));
    for (const [position, id] of repeated(marketIds)) {
      const path = ["accounts", index, "markets", position, "marketId"];
      yield at(path, `${id} appears twice; name each market once per account`);
    }
    for (const [position, market] of listAt(account, "markets").entries()) {
      if (fleet !== undefined && mappingOf(market).shadow !== undefined)
        yield at(
          ["accounts", index, "markets", position, "shadow"],
          "is not allowed with fleet; run it in a daemon of its own",
        );
      yield* premiumFaults((path, message) => at(["accounts", index, "markets", position, ...path], message), market);
    }
  }
}

function* venueFaults(at: At, written: unknown, isAllPaper: boolean): Generator<Fault> {
  const venue = mappingOf(written);
  if (venue !== written) return;
  const { chainId, live = false, embedded, validatorUrl } = venue;
  for (const key of ["validatorUrl", "wsUrl", "restUrl"]) {
    if (embedded === undefined || venue[key] === undefined) continue;
    yield at(["venue", key], "is not allowed with embedded; remove one of the two");
  }
  if (embedded === undefined && validatorUrl === undefined) {
    yield at(["venue", "validatorUrl"], "missing; give an http or https URL, or embedded with a devnet's file");
  }
  const { landingBoundMs = 0, readLagMaxMs = 0 } = readAs(botSchema.shape.venue, written) ?? {};
  if (readLagMaxMs >= landingBoundMs && landingBoundMs > 0)
    yield at(["venue", "readLagMaxMs"], `${readLagMaxMs} is not below landingBoundMs, ${landingBoundMs}; set it lower`);
  if (live === true && isAllPaper) {
    yield at(["venue", "live"], "is not allowed where every account is on paper; remove live, or paper of one account");
  }
  if (live === false && !isAllPaper && typeof chainId === "string" && !isDevnet(chainId)) {
    yield at(["venue", "chainId"], "is not a devnet's; set live: true to trade there, or use a chain id with :devnet:");
  }
}

/** A target above the limit would always be denied. */
function* premiumFaults(at: At, market: unknown): Generator<Fault> {
  const { limits, premiumBook } = mappingOf(market);
  const [most, limit] = [mappingOf(premiumBook).maxContracts, mappingOf(limits).maxPosition];
  const [maxContracts, maxPosition] = [readAs(sizeContracts, most), readAs(sizeContracts, limit)];
  if (maxContracts !== undefined && maxPosition !== undefined && maxContracts > maxPosition)
    yield at(["premiumBook", "maxContracts"], `is above limits.maxPosition, ${limit}; set it to that or less`);
}

function* keyFileFaults(
  at: At,
  index: number,
  account: Mapping,
  resolve: (path: string) => string,
  seen: Set<string>,
): Generator<Fault> {
  for (const key of ["agentKeyFile", "watchdogKeyFile", "formerKeyFiles"]) {
    for (const file of [account[key]].flat()) {
      if (typeof file !== "string") continue;
      if (seen.has(resolve(file))) {
        yield at(["accounts", index, key], `${file} is used twice; use one key per account and purpose`);
      }
      seen.add(resolve(file));
    }
  }
}

const isOnPaper = ({ paper = false }: Mapping): boolean => paper !== false;

export const isDevnet = (chainId: string): boolean => /(^|:)devnet(:|$)/.test(chainId);

// Rules of a bot's file that no single value can break.

import { accountNumber, marketNumber } from "../../domain/scalars.ts";
import type { Fault } from "../../kernel/yaml/fault.ts";
import { listAt, type Mapping, mappingOf, readAs, repeated } from "../../kernel/yaml/partial-parse.ts";
import { botSchema } from "./schema.ts";

type At = (path: readonly PropertyKey[], message: string) => Fault;

/** `value`: the whole file, right or not. `resolve`: the file that a path means. */
export function* jointFaults(value: unknown, at: At, resolve: (path: string) => string): Generator<Fault> {
  const { venue, watchdog } = mappingOf(value);
  yield* venueFaults(at, venue);
  const { pollMs = 0, silenceMs = 0 } = readAs(botSchema.shape.watchdog, watchdog) ?? {};
  if (pollMs * 2 > silenceMs)
    yield at(["watchdog", "pollMs"], `${pollMs} is more than half of silenceMs, ${silenceMs}`);
  const accounts = listAt(value, "accounts").map(mappingOf);
  const isEmbedded = mappingOf(venue).embedded !== undefined;
  for (const [index, id] of repeated(accounts.map(({ accountId }) => readAs(accountNumber, accountId)))) {
    yield at(["accounts", index, "accountId"], `${id} stands twice; each account once`);
  }
  const keyFiles = new Set<string>();
  for (const [index, account] of accounts.entries()) {
    if (account.agentKeyFile === undefined && !isEmbedded) {
      yield at(["accounts", index, "agentKeyFile"], "missing; a path to the agent key of this account");
    }
    yield* keyFileFaults(at, index, account, resolve, keyFiles);
    const marketIds = listAt(account, "markets").map((market) => readAs(marketNumber, mappingOf(market).marketId));
    for (const [position, id] of repeated(marketIds)) {
      const path = ["accounts", index, "markets", position, "marketId"];
      yield at(path, `${id} stands twice; each market once an account`);
    }
  }
}

function* venueFaults(at: At, written: unknown): Generator<Fault> {
  const venue = mappingOf(written);
  if (venue !== written) return;
  const { chainId, live = false, embedded, validatorUrl } = venue;
  for (const key of ["validatorUrl", "wsUrl", "restUrl"]) {
    if (embedded === undefined || venue[key] === undefined) continue;
    yield at(["venue", key], "stands beside embedded; allowed: embedded alone, or URLs");
  }
  if (embedded === undefined && validatorUrl === undefined) {
    yield at(["venue", "validatorUrl"], "missing; an http or https URL, or embedded with a devnet's file");
  }
  if (live === false && typeof chainId === "string" && !isDevnet(chainId)) {
    yield at(["venue", "chainId"], "is not a devnet's: say live: true to trade there, or use a chain id with :devnet:");
  }
}

function* keyFileFaults(
  at: At,
  index: number,
  account: Mapping,
  resolve: (path: string) => string,
  seen: Set<string>,
): Generator<Fault> {
  for (const key of ["agentKeyFile", "watchdogKeyFile"]) {
    const file = account[key];
    if (typeof file !== "string") continue;
    if (seen.has(resolve(file))) {
      yield at(["accounts", index, key], `${file} is used twice; one key an account and purpose, never one for two`);
    }
    seen.add(resolve(file));
  }
}

const isDevnet = (chainId: string): boolean => /(^|:)devnet(:|$)/.test(chainId);

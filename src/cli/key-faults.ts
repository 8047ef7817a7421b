// Faults of the key files that a configuration names, as far as whoever checks it can see: a key may stand on another host, be a
// credential that is there only while the unit runs, or belong to the daemon's own user.

import type { BotConfig } from "../bot/config/config.ts";
import { loadAgentKey } from "../bot/execution/agent-key.ts";
import { KeyFileError, type KeyFileErrorCode } from "../bot/execution/key-file.ts";
import { type Fault, faultAt } from "../kernel/yaml/fault.ts";
import type { YamlDocument } from "../kernel/yaml/yaml.ts";

/** What is nobody's fault on this machine. */
const ELSEWHERE: ReadonlySet<KeyFileErrorCode> = new Set(["key_file_missing", "key_file_unreadable", "key_file_owner"]);

export function* keyFaults({ file, accounts }: BotConfig, document: YamlDocument): Generator<Fault> {
  const used = new Set<string>();
  for (const [index, account] of accounts.entries()) {
    for (const name of ["agentKeyFile", "watchdogKeyFile"] as const) {
      const fault = faultOf(account[name], used);
      if (fault !== null) yield faultAt(file, document, ["accounts", index, name], fault);
    }
  }
}

/** Null where there is none, or nothing to see. */
function faultOf(path: string | null, used: Set<string>): string | null {
  if (path === null) return null;
  try {
    const { publicKey } = loadAgentKey(path);
    if (used.has(publicKey)) return "holds a key that is used twice; one key an account and purpose, never one for two";
    used.add(publicKey);
    return null;
  } catch (error) {
    if (!(error instanceof KeyFileError)) throw error;
    return ELSEWHERE.has(error.code) ? null : error.message;
  }
}

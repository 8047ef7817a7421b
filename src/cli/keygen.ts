// `quoin keygen`: makes an agent key file and prints the public key that the account's owner has to approve.

import { writeKeyFile } from "../bot/execution/agent-key.ts";
import { EXIT_DONE, EXIT_FAILED, EXIT_USAGE, type ExitCode, endWith, type Host } from "../host/host.ts";
import { CodedError } from "../kernel/errors.ts";
import { isKey } from "../kernel/secret.ts";
import { publicKeyOf, SEED_BYTES } from "../wire/signing.ts";

export function keygen(options: { readonly out: string; readonly json: boolean }, host: Host): ExitCode {
  if (isKey(options.out))
    return endWith(EXIT_USAGE, "--out names the file to make; what was given looks like a key itself", host);
  const seed = host.entropy.bytes(SEED_BYTES);
  try {
    writeKeyFile(options.out, seed);
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    host.stderr(`${error.message}\n`);
    return EXIT_FAILED;
  }
  const publicKey = publicKeyOf(seed);
  host.stdout(options.json ? `${JSON.stringify({ file: options.out, publicKey })}\n` : `${publicKey}\n`);
  if (!options.json)
    host.stderr(`${options.out} holds the key; have the account's owner approve the public key above\n`);
  return EXIT_DONE;
}

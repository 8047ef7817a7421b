// Reads that the interface names no endpoint for: paths and shapes are the devnet's own, and every answer there says so. Another
// exchange answers 404.

import type { Get } from "../../../src/bot/venue/remote/reads.ts";
import type { Block } from "../../../src/domain/block.ts";
import type { AccountId } from "../../../src/domain/units.ts";
import { decodeBlock } from "../../../src/wire/rest/block.ts";
import type { OpenWithdrawal, Vault } from "../../../src/wire/rest/owner.ts";
import { objectOf } from "../../../src/wire/strict.ts";
import { list } from "../../../src/wire/tolerant.ts";
import { decodeVault, decodeWithdrawals } from "./decode/owner.ts";

export type DevnetReads = {
  /** Newest first. */
  readonly blocks: () => Promise<readonly Block[]>;
  readonly block: (height: number) => Promise<Block>;
  readonly vault: (account: AccountId) => Promise<Vault>;
  readonly withdrawals: (account: AccountId) => Promise<readonly OpenWithdrawal[]>;
};

export function createDevnetReads({ json }: Pick<Get, "json">): DevnetReads {
  return {
    blocks: () => json("/v1/explorer/blocks", (answer) => list(objectOf(answer, ""), "blocks", decodeBlock)),
    block: (height) => json(`/v1/explorer/blocks/${height}`, decodeBlock),
    vault: (account) => json(`/v1/vaults/${account}`, (answer) => decodeVault(objectOf(answer, "").vault)),
    withdrawals: (account) => json(`/v1/accounts/${account}/withdrawals`, decodeWithdrawals),
  };
}

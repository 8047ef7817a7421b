// The hosted path (S4.5, S5): the enclave signs for an owner, within what the credential may.

import { describe, expect, test } from "vitest";
import type { Credential } from "../../../../src/devnet/accounts/hosted-keys.ts";
import type { Answer } from "../../../../src/devnet/chain/admission/answer.ts";
import type { Chain } from "../../../../src/devnet/chain/chain.ts";
import type { Nonce } from "../../../../src/domain/units.ts";
import { encodeRequest } from "../../../../src/wire/envelope.ts";
import { encodeTransaction, type Transaction } from "../../../../src/wire/transaction.ts";
import {
  ALICE,
  ALICE_SUB,
  alice,
  BLOCK_MS,
  BOB,
  codeOf,
  freshNonce,
  openChain,
  order,
  START_MS,
  seal,
} from "./set-up.ts";

const apiKey: Credential = { kind: "apiKey", owner: alice.publicKey };
const session: Credential = { kind: "session", owner: alice.publicKey };

async function hosted(
  chain: Chain,
  credential: Credential,
  transaction: Transaction,
  used: Nonce = freshNonce(),
): Promise<Answer> {
  const transactionText = encodeTransaction(transaction);
  const body = Buffer.from(encodeRequest({ transactionText, nonce: used, timestampSec: START_MS / 1000 }));
  const answer = chain.submitHosted(credential, body);
  await chain.advance(BLOCK_MS);
  return answer;
}

describe("hosted submission", () => {
  test("an API key trades and transfers for its owner", async () => {
    const chain = openChain();
    expect(codeOf(await hosted(chain, apiKey, order()))).toBe("executed");
    const move = { type: "Transfer", fromAccountId: ALICE_SUB, toAccountId: BOB, tokenId: 0, amount: 7n } as const;
    expect(codeOf(await hosted(chain, apiKey, move))).toBe("executed");
    expect(chain.reads.account(BOB)?.collateral).toBe(100_000_000_007n);
  });

  test("an API key may neither manage agents nor accounts nor withdraw; a session is let through", async () => {
    const chain = openChain();
    const governing: readonly Transaction[] = [
      { type: "ApproveAgent", accountId: ALICE, agent: "ab".repeat(32), name: null, expiresAtSec: null },
      { type: "RevokeAgent", accountId: ALICE, agent: "ab".repeat(32) },
      { type: "CreateSubaccount", masterAccountId: ALICE },
      { type: "CloseSubaccount", accountId: ALICE_SUB },
      { type: "RequestWithdrawal", accountId: ALICE, tokenId: 0, amount: 1n, destination: "x" },
      { type: "CancelWithdrawal", accountId: ALICE, withdrawalId: 1n },
      { type: "CreateFundedAccount", mode: "Cross", referredBy: null },
    ];
    for (const transaction of governing) {
      expect(await hosted(chain, apiKey, transaction)).toMatchObject({
        kind: "rejected",
        httpStatus: 403,
        code: "SCOPE",
      });
      expect(["executed", "refused"]).toContain((await hosted(chain, session, transaction)).kind);
    }
  });

  test("hosted requests share the owner's nonces with its own key", async () => {
    const chain = openChain();
    const used = freshNonce();
    expect(codeOf(await hosted(chain, apiKey, order(), used))).toBe("executed");
    expect(codeOf(await hosted(chain, session, order(), used))).toBe("NONCE_REUSED");
    const answer = chain.submit(seal(order(), { signer: alice, nonce: used }));
    await chain.advance(BLOCK_MS);
    expect(codeOf(await answer)).toBe("NONCE_REUSED");
  });

  test("another owner's account is out of reach", async () => {
    expect(codeOf(await hosted(openChain(), apiKey, order({ accountId: BOB })))).toBe("AGENT_NOT_APPROVED");
  });

  test("a body that does not parse is rejected before any key is made", async () => {
    const chain = openChain();
    const quiet = openChain();
    const answer = await chain.submitHosted(apiKey, Buffer.from('{"transaction":{}}'));
    expect(answer).toMatchObject({ kind: "rejected", httpStatus: 400, code: "MALFORMED" });
    expect((await chain.advance(1)).stateRoot).toBe((await quiet.advance(1)).stateRoot);
  });
});

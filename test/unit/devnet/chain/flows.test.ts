// What accounts are refused, and the money of vaults and recipients. How each flow goes is in test/interface/account-transactions.test.ts.

import { describe, expect, test } from "vitest";
import type { RecipientAnswer } from "../../../../src/devnet/accounts/recipients.ts";
import type { Chain } from "../../../../src/devnet/chain/chain.ts";
import { type AccountId, accountId, usdc } from "../../../../src/domain/units.ts";
import type { RecipientKind } from "../../../../src/wire/rest/owners.ts";
import type { Transaction } from "../../../../src/wire/transaction.ts";
import { ALICE, ALICE_SUB, alice, BLOCK_MS, BOB, bob, codeOf, foreignKey, openChain, order, run } from "./set-up.ts";

const USDC = 1_000_000n;
const HUNDRED_THOUSAND = 100_000n * USDC;
const owner = foreignKey.publicKey;

/** Runs under a nonce that fits chain time, however far it went. The books balance after each. */
async function act(chain: Chain, transaction: Transaction, signer = alice) {
  const answer = await run(chain, transaction, { signer, nonce: BigInt(chain.timeMs() + BLOCK_MS) });
  chain.audit();
  return answer;
}

const collateralOf = (chain: Chain, id: AccountId) => chain.reads.account(id)?.collateral;
const nativeOf = (chain: Chain, id: AccountId) => chain.reads.account(id)?.nativeBalance;

describe("CreateFundedAccount", () => {
  const create = { type: "CreateFundedAccount", mode: "Cross", referredBy: null } as const;

  test.each([
    [0n, "DepositTooSmall"],
    [4_999_999n, "DepositTooSmall"],
    [5_000_000n, "executed"],
  ])("with %i base units unclaimed: %s, and a failure leaves them", async (amount, code) => {
    const chain = openChain();
    if (amount > 0n) chain.control.bridgeDeposit(owner, usdc(amount));
    expect(codeOf(await act(chain, create, foreignKey))).toBe(code);
    expect(chain.reads.unclaimed(owner)).toBe(code === "executed" ? 0n : amount);
  });
});

describe("transfers", () => {
  const move = (of: Partial<Extract<Transaction, { type: "Transfer" }>> = {}) =>
    ({ type: "Transfer", fromAccountId: ALICE, toAccountId: BOB, tokenId: 0, amount: 1n, ...of }) as const;

  test.each([
    ["to an account that does not exist", { toAccountId: accountId(404n) }, "InvalidDestination"],
    ["to itself", { toAccountId: ALICE }, "SameAccount"],
    ["to the exchange's own account", { toAccountId: accountId(1n) }, "VaultFamily"],
    ["of a token that is neither", { tokenId: 7 }, "UnknownToken"],
    ["of more NATIVE than there is", { tokenId: 1, amount: 5n * USDC + 1n }, "InsufficientNative"],
  ])("%s it is refused, and nothing moves", async (_, change, code) => {
    const chain = openChain();
    expect(codeOf(await act(chain, move(change)))).toBe(code);
    expect([collateralOf(chain, ALICE), nativeOf(chain, ALICE)]).toEqual([HUNDRED_THOUSAND, 5n * USDC]);
  });
});

describe("withdrawals", () => {
  const request = (of: Partial<Extract<Transaction, { type: "RequestWithdrawal" }>> = {}) =>
    ({
      type: "RequestWithdrawal",
      accountId: ALICE,
      tokenId: 0,
      amount: 10n * USDC,
      destination: "wallet",
      ...of,
    }) as const;
  const cancel = { type: "CancelWithdrawal", accountId: ALICE, withdrawalId: 1n } as const;

  test.each([
    ["from a subaccount", { accountId: ALICE_SUB }, "NotAMaster"],
    ["of another token", { tokenId: 2 }, "UnknownToken"],
    ["of more NATIVE than there is", { tokenId: 1, amount: 5n * USDC + 1n }, "InsufficientNative"],
    ["above the bridge's limit", { amount: 10n ** 14n }, "BridgeLimit"],
  ])("%s it is refused", async (_, change, code) => {
    const chain = openChain();
    expect(codeOf(await act(chain, request(change)))).toBe(code);
    expect(collateralOf(chain, ALICE)).toBe(HUNDRED_THOUSAND);
  });

  test("another owner cannot cancel it, and a family with one stays open", async () => {
    const chain = openChain();
    await act(chain, request());
    expect(codeOf(await act(chain, { ...cancel, accountId: BOB }, bob))).toBe("UnknownWithdrawal");
  });

  test("what went over the bridge is counted for a day", async () => {
    const chain = openChain();
    const used = () => chain.reads.bridge().tokens.find((each) => each.tokenId === 0)?.withdrawalUsed;
    await act(chain, request());
    await act(chain, request({ amount: 1n }));
    expect(used()).toBe(10n * USDC + 1n);
    await chain.advance(25 * 3_600_000);
    expect(used()).toBe(0n);
  });
});

describe("staking", () => {
  const stake = (type: "DelegateStake" | "UndelegateStake", amount: bigint, validator = "validator-1") =>
    ({ type, accountId: ALICE, validator, amount }) as const;

  test.each([
    ["more than is liquid", stake("DelegateStake", 5n * USDC + 1n), "InsufficientNative"],
    ["more than is staked", stake("UndelegateStake", 1n), "InsufficientStake"],
    ["an unknown validator", stake("DelegateStake", 1n, "nobody"), "UnknownValidator"],
    ["from a subaccount", { ...stake("DelegateStake", 1n), accountId: ALICE_SUB }, "NotAMaster"],
  ])("%s is refused", async (_, transaction, code) => {
    expect(codeOf(await act(openChain(), transaction))).toBe(code);
  });
});

describe("vaults", () => {
  const open = async () => {
    const chain = openChain();
    await act(chain, { type: "CreateVault", accountId: ALICE, name: "steady", amount: 1000n * USDC });
    const vault = chain.reads.ownerAccounts(alice.publicKey).find((each) => each.isVault)?.accountId ?? accountId(0n);
    return { chain, vault };
  };

  test("a leader opens one with a deposit and trades it; it is no personal account", async () => {
    const { chain, vault } = await open();
    expect(chain.reads.vault(vault)).toMatchObject({
      name: "steady",
      leaderAccountId: ALICE,
      totalShares: 1000n * USDC,
    });
    expect(chain.reads.personalAccount(alice.publicKey)?.accountId).toBe(ALICE);
    expect(codeOf(await act(chain, order({ accountId: vault })))).toBe("executed");
    expect(codeOf(await act(chain, order({ accountId: vault }), bob))).toBe("AGENT_NOT_APPROVED");
  });

  test("shares follow equity: a gain is shared by who was in, and leaving pays its part", async () => {
    const { chain, vault } = await open();
    chain.control.deposit(vault, usdc(1000n * USDC));
    await act(chain, { type: "DepositToVault", accountId: BOB, vaultAccountId: vault, amount: 500n * USDC }, bob);
    expect(chain.reads.vault(vault)?.totalShares).toBe(1250n * USDC);
    const leave = { type: "WithdrawFromVault", accountId: BOB, vaultAccountId: vault, shares: 250n * USDC } as const;
    expect(codeOf(await act(chain, { ...leave, shares: leave.shares + 1n }, bob))).toBe("InsufficientShares");
    expect(codeOf(await act(chain, leave, bob))).toBe("executed");
    expect(collateralOf(chain, BOB)).toBe(HUNDRED_THOUSAND);
    expect(collateralOf(chain, vault)).toBe(2000n * USDC);
  });

  test("its money stays in its family: no transfer out, no withdrawal", async () => {
    const { chain, vault } = await open();
    const out = { type: "Transfer", fromAccountId: vault, toAccountId: ALICE, tokenId: 0, amount: 1n } as const;
    expect(codeOf(await act(chain, out))).toBe("VaultFamily");
    expect(codeOf(await act(chain, { ...out, fromAccountId: ALICE, toAccountId: vault }))).toBe("VaultFamily");
    expect(
      codeOf(
        await act(chain, { type: "RequestWithdrawal", accountId: vault, tokenId: 0, amount: 1n, destination: "x" }),
      ),
    ).toBe("NotAMaster");
    expect(chain.reads.recipient("account", `${vault}`)).toBe("missing");
  });
});

describe("recipients", () => {
  const chain = openChain();
  test.each<[RecipientKind, string, AccountId | RecipientAnswer]>([
    ["wallet", `0x${bob.publicKey.toUpperCase()}`, BOB],
    ["username", "no spaces", "malformed"],
    ["wallet", "11111111111111111111111111111111", "missing"],
    ["wallet", "0OIl", "malformed"],
    ["wallet", "1111111111111111111111111111111", "malformed"],
    ["account", "18446744073709551616", "malformed"],
    ["account", "-1", "malformed"],
  ])("%s %s", (kind, value, expected) => {
    const found = chain.reads.recipient(kind, value);
    expect(typeof found === "string" ? found : found.accountId).toBe(expected);
  });
});

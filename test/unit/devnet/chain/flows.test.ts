// The flows of accounts through signed transactions: funding, families, transfers, withdrawals, staking, vaults (S2 to S4).

import { beforeEach, describe, expect, test } from "vitest";
import type { RecipientAnswer } from "../../../../src/devnet/accounts/recipients.ts";
import type { Chain } from "../../../../src/devnet/chain/chain.ts";
import { type AccountId, accountId, price, usdc } from "../../../../src/domain/units.ts";
import type { RecipientKind } from "../../../../src/wire/rest/owners.ts";
import type { Transaction } from "../../../../src/wire/transaction.ts";
import {
  ALICE,
  ALICE_SUB,
  alice,
  BLOCK_MS,
  BOB,
  bob,
  codeOf,
  config,
  openChain,
  order,
  run,
  stranger,
} from "./set-up.ts";

const USDC = 1_000_000n;
const HUNDRED_THOUSAND = 100_000n * USDC;
const owner = stranger.publicKey;

/** Runs under a nonce that fits chain time, however far it went. The books balance after each. */
async function act(chain: Chain, transaction: Transaction, signer = alice) {
  const answer = await run(chain, transaction, { signer, nonce: BigInt(chain.timeMs() + BLOCK_MS) });
  chain.audit();
  return answer;
}

const collateralOf = (chain: Chain, id: AccountId) => chain.reads.account(id)?.collateral;
const nativeOf = (chain: Chain, id: AccountId) => chain.reads.account(id)?.nativeBalance;

describe("CreateFundedAccount", () => {
  let chain: Chain;
  const create = { type: "CreateFundedAccount", mode: "Cross", referredBy: null } as const;
  beforeEach(() => {
    chain = openChain();
  });

  test("deposit attested, unclaimed, created: the fee is charged, the rest credited", async () => {
    expect(chain.reads.unclaimed(owner)).toBe(0n);
    chain.control.bridgeDeposit(owner, usdc(4_000_000n));
    chain.control.bridgeDeposit(owner, usdc(3_000_000n));
    expect(chain.reads.unclaimed(owner)).toBe(7_000_000n);
    expect(chain.reads.ownerAccounts(owner)).toEqual([]);

    const answer = await act(chain, create, stranger);
    expect(answer).toMatchObject({
      kind: "executed",
      events: [{ name: "AccountCreated", facts: { fee: "1000000", credited: "6000000" } }],
    });
    expect(chain.reads.personalAccount(owner)).toMatchObject({
      owner,
      collateral: 6_000_000n,
      pendingActivation: false,
    });
    expect(chain.reads.unclaimed(owner)).toBe(0n);
  });

  test.each([
    [0n, "DepositTooSmall"],
    [4_999_999n, "DepositTooSmall"],
    [5_000_000n, "executed"],
  ])("with %i base units unclaimed: %s, and a failure leaves them", async (amount, code) => {
    if (amount > 0n) chain.control.bridgeDeposit(owner, usdc(amount));
    expect(codeOf(await act(chain, create, stranger))).toBe(code);
    expect(chain.reads.unclaimed(owner)).toBe(code === "executed" ? 0n : amount);
  });

  test("once there is an account, deposits go there and a second creation is refused", async () => {
    chain.control.bridgeDeposit(owner, usdc(5_000_000n));
    await act(chain, create, stranger);
    chain.control.bridgeDeposit(owner, usdc(9_000_000n));
    expect(chain.reads.personalAccount(owner)?.collateral).toBe(13_000_000n);
    expect(chain.reads.unclaimed(owner)).toBe(0n);
    expect(codeOf(await act(chain, create, stranger))).toBe("AccountExists");
  });

  test("an account that awaits activation has a number and a fee, can do nothing, and becomes the owner's own", async () => {
    expect(chain.control.signUp(owner).status).toBe("success");
    expect(chain.control.signUp(owner)).toMatchObject({ code: "AccountExists" });
    const [pending] = chain.reads.ownerAccounts(owner);
    const accountId = pending?.accountId ?? ALICE;
    expect(chain.reads.account(accountId)).toMatchObject({
      pendingActivation: true,
      pendingActivationFeeUsdc: 1_000_000n,
    });
    expect(codeOf(await act(chain, order({ accountId }), stranger))).toBe("AccountNotActive");
    const pay = { type: "Transfer", fromAccountId: ALICE, toAccountId: accountId, tokenId: 0, amount: 1n } as const;
    expect(codeOf(await act(chain, pay))).toBe("InvalidDestination");
    expect(codeOf(await act(chain, create, stranger))).toBe("DepositTooSmall");
    chain.control.bridgeDeposit(owner, usdc(6_000_000n));
    expect(codeOf(await act(chain, create, stranger))).toBe("executed");
    expect(chain.reads.account(accountId)).toMatchObject({
      pendingActivation: false,
      pendingActivationFeeUsdc: null,
      collateral: 5_000_000n,
    });
  });

  test("a referral counts against the referrer's invites, and an impossible referrer is refused", async () => {
    chain.control.bridgeDeposit(owner, usdc(5_000_000n));
    for (const referredBy of [ALICE_SUB, accountId(404n), accountId(1n)]) {
      expect(codeOf(await act(chain, { ...create, referredBy }, stranger))).toBe("InvalidReferrer");
    }
    expect(codeOf(await act(chain, { ...create, referredBy: ALICE }, stranger))).toBe("executed");
    expect(chain.reads.invites(ALICE)).toMatchObject({ eligible: true, allowance: 10, consumed: 1, remaining: 9 });
    expect(chain.reads.invites(ALICE_SUB)).toMatchObject({ eligible: false, remaining: 0 });
  });

  test("NATIVE that came before the account is assigned to it", async () => {
    chain.control.bridgeDeposit(owner, 42n, 1);
    chain.control.bridgeDeposit(owner, usdc(5_000_000n));
    expect(chain.reads.assets(owner)).toMatchObject({
      accounts: [],
      unallocated: [
        { tokenId: 0, amount: 5_000_000n },
        { tokenId: 1, amount: 42n },
      ],
      unallocatedNative: 42n,
    });
    await act(chain, create, stranger);
    expect(chain.reads.personalAccount(owner)?.nativeBalance).toBe(42n);
    expect(chain.reads.assets(owner)).toMatchObject({ unallocated: [], unallocatedNative: 0n });
  });
});

describe("subaccounts", () => {
  const create = { type: "CreateSubaccount", masterAccountId: ALICE } as const;
  const close = { type: "CloseSubaccount", accountId: ALICE_SUB } as const;
  const traded = (volume: bigint) =>
    openChain({
      config: { ...config, accounts: config.accounts.map((each) => ({ ...each, volume30d: usdc(volume) })) },
    });

  test("none can be made below the first unlock, and ten above it", async () => {
    expect(codeOf(await act(openChain(), create))).toBe("SubaccountCapacity");
    const chain = traded(HUNDRED_THOUSAND);
    for (let count = 1; count < 10; count += 1) expect(codeOf(await act(chain, create))).toBe("executed");
    expect(codeOf(await act(chain, create))).toBe("SubaccountCapacity");
    expect(chain.reads.ownerAccounts(alice.publicKey)).toHaveLength(11);
  });

  test("a closed one returns its tokens to the master at once, and its number is never used again", async () => {
    const chain = traded(HUNDRED_THOUSAND);
    await act(chain, { type: "Transfer", fromAccountId: ALICE, toAccountId: ALICE_SUB, tokenId: 1, amount: 3n });
    const answer = await act(chain, close);
    expect(answer).toMatchObject({ kind: "executed" });
    expect(chain.reads.account(ALICE_SUB)).toBeUndefined();
    expect([collateralOf(chain, ALICE), nativeOf(chain, ALICE)]).toEqual([2n * HUNDRED_THOUSAND, 5n * USDC]);
    expect(codeOf(await act(chain, close))).toBe("SCOPE");
    await act(chain, create);
    const numbers = chain.reads.ownerAccounts(alice.publicKey).map((each) => each.accountId);
    expect(numbers).toHaveLength(2);
    expect(numbers).not.toContain(ALICE_SUB);
  });

  test("it stays open while an order rests or a position stands", async () => {
    const chain = openChain();
    await act(chain, order({ accountId: ALICE_SUB, price: price(20_000_000_000n) }));
    expect(codeOf(await act(chain, close))).toBe("SubaccountNotEmpty");
    await act(chain, order({ accountId: BOB, side: "sell", price: price(20_000_000_000n) }), bob);
    expect(chain.reads.account(ALICE_SUB)).toMatchObject({ openOrders: [], positions: [{ marketId: 1 }] });
    expect(codeOf(await act(chain, close))).toBe("SubaccountNotEmpty");
  });

  test("a master cannot be closed, and a subaccount is no master", async () => {
    const chain = traded(HUNDRED_THOUSAND);
    expect(codeOf(await act(chain, { ...close, accountId: ALICE }))).toBe("NotASubaccount");
    expect(codeOf(await act(chain, { ...create, masterAccountId: ALICE_SUB }))).toBe("NotAMaster");
  });
});

describe("transfers", () => {
  const move = (of: Partial<Extract<Transaction, { type: "Transfer" }>> = {}) =>
    ({ type: "Transfer", fromAccountId: ALICE, toAccountId: BOB, tokenId: 0, amount: 1n, ...of }) as const;

  test("USDC and NATIVE move at once, across owners and within the family", async () => {
    const chain = openChain();
    await act(chain, move({ amount: 100n * USDC }));
    await act(chain, move({ tokenId: 1, amount: 2n * USDC }));
    await act(chain, move({ toAccountId: ALICE_SUB, amount: 5n }));
    expect(collateralOf(chain, BOB)).toBe(HUNDRED_THOUSAND + 100n * USDC);
    expect(nativeOf(chain, BOB)).toBe(2n * USDC);
    expect(collateralOf(chain, ALICE_SUB)).toBe(HUNDRED_THOUSAND + 5n);
    expect(collateralOf(chain, ALICE)).toBe(HUNDRED_THOUSAND - 100n * USDC - 5n);
  });

  test("what open orders need stays", async () => {
    const chain = openChain();
    await act(chain, order());
    const available = chain.reads.account(ALICE)?.availableCollateral ?? usdc(0n);
    expect(available).toBeLessThan(HUNDRED_THOUSAND);
    expect((await act(chain, move({ amount: available + 1n }))).kind).toBe("refused");
    expect((await act(chain, move({ amount: available }))).kind).toBe("executed");
  });

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

  test("history shows each transfer once, from the reader's side, in pages of fifty", async () => {
    const chain = openChain();
    for (let count = 1; count <= 51; count += 1) await act(chain, move({ amount: BigInt(count) }));
    await act(chain, move({ toAccountId: ALICE_SUB, amount: 1000n }));
    const first = chain.reads.transfers(alice.publicKey, null);
    expect(first?.items).toHaveLength(50);
    expect(first?.items[0]).toMatchObject({ direction: "own", amount: 1000n, reason: "Transfer", tokenId: 0 });
    expect(first?.items[1]).toMatchObject({
      direction: "outgoing",
      amount: 51n,
      fromAccountId: ALICE,
      toAccountId: BOB,
    });
    const second = chain.reads.transfers(alice.publicKey, first?.nextCursor ?? null);
    expect(second?.items.map((item) => item.amount)).toEqual([2n, 1n]);
    expect(second?.nextCursor).toBeNull();
    expect(chain.reads.transfers(bob.publicKey, null)?.items[0]).toMatchObject({ direction: "incoming", amount: 51n });
    expect(chain.reads.transfers(owner, null)).toEqual({ items: [], nextCursor: null, droppedMs: null });
    for (const cursor of ["", "x", "1", "1-2-3", "-1-2", "99999999999999999999-1"]) {
      expect(chain.reads.transfers(alice.publicKey, cursor)).toBeUndefined();
    }
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
  const DAY_MS = 86_400_000;

  test("a request debits at once; a cancel while pending restores exactly that", async () => {
    const chain = openChain();
    await act(chain, request());
    expect(collateralOf(chain, ALICE)).toBe(HUNDRED_THOUSAND - 10n * USDC);
    expect(chain.reads.withdrawals(ALICE)).toMatchObject([
      { withdrawalId: 1n, status: "Pending", destination: "wallet" },
    ]);
    const pending = chain.reads.bridge().tokens.map(({ tokenId, pendingWithdrawals }) => [tokenId, pendingWithdrawals]);
    expect(pending).toContainEqual([0, 10n * USDC]);
    expect((await act(chain, cancel)).kind).toBe("executed");
    expect(collateralOf(chain, ALICE)).toBe(HUNDRED_THOUSAND);
    expect(chain.reads.withdrawals(ALICE)).toEqual([]);
    expect(codeOf(await act(chain, cancel))).toBe("UnknownWithdrawal");
  });

  test("after 24 hours it is ready, can no longer be canceled, and can be claimed once", async () => {
    const chain = openChain();
    await act(chain, request({ tokenId: 1, amount: USDC }));
    expect(chain.control.claimWithdrawal(1n)).toMatchObject({ code: "WithdrawalPending" });
    const { requestedAtMs = 0 } = chain.reads.withdrawals(ALICE)[0] ?? {};
    await chain.advance(requestedAtMs + DAY_MS - 1 - chain.timeMs());
    expect(chain.reads.withdrawals(ALICE)).toMatchObject([{ status: "Pending" }]);
    await chain.advance(1);
    expect(chain.reads.withdrawals(ALICE)).toMatchObject([{ status: "ReadyToClaim" }]);
    expect(codeOf(await act(chain, cancel))).toBe("WithdrawalReady");
    expect(chain.control.claimWithdrawal(1n).status).toBe("success");
    expect(chain.control.claimWithdrawal(1n)).toMatchObject({ code: "UnknownWithdrawal" });
    expect(nativeOf(chain, ALICE)).toBe(4n * USDC);
  });

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

  test("NATIVE goes from liquid to staked to unbonding to liquid, and is never two of them", async () => {
    const chain = openChain();
    await act(chain, stake("DelegateStake", 3n));
    await act(chain, stake("DelegateStake", 2n, "validator-2"));
    expect(chain.reads.stakingBalance(alice.publicKey)).toEqual({
      available: 5n * USDC - 5n,
      staked: 5n,
      unbonding: 0n,
    });
    expect(chain.reads.staking().totalStaked).toBe(5n);
    await act(chain, stake("UndelegateStake", 2n));
    expect(chain.reads.stakingBalance(alice.publicKey)).toEqual({
      available: 5n * USDC - 5n,
      staked: 3n,
      unbonding: 2n,
    });
    expect(chain.reads.delegations(alice.publicKey)).toMatchObject([
      { validator: "validator-1", amount: 1n },
      { validator: "validator-2", amount: 2n },
    ]);
    await chain.advance(604_800_000 - 1);
    expect(chain.reads.stakingBalance(alice.publicKey).unbonding).toBe(2n);
    await chain.advance(1);
    expect(chain.reads.stakingBalance(alice.publicKey)).toEqual({
      available: 5n * USDC - 3n,
      staked: 3n,
      unbonding: 0n,
    });
  });

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
    ["username", "alice", ALICE],
    ["wallet", alice.publicKey, ALICE],
    ["wallet", `0x${bob.publicKey.toUpperCase()}`, BOB],
    ["account", "13", ALICE_SUB],
    ["username", "nobody", "missing"],
    ["username", "no spaces", "malformed"],
    ["wallet", owner, "missing"],
    ["wallet", "11111111111111111111111111111111", "missing"],
    ["wallet", "0OIl", "malformed"],
    ["wallet", "1111111111111111111111111111111", "malformed"],
    ["account", "404", "missing"],
    ["account", "1", "missing"],
    ["account", "18446744073709551616", "malformed"],
    ["account", "-1", "malformed"],
  ])("%s %s", (kind, value, expected) => {
    const found = chain.reads.recipient(kind, value);
    expect(typeof found === "string" ? found : found.accountId).toBe(expected);
  });
});

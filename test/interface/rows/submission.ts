// Rows 45 to 52 and 71 to 83: handing transactions in, who may, and nonces (S4.5, S5).

import { assume, row, type Section } from "../row.ts";

export const submission: Section = {
  title: "Submission (S4.5)",
  rows: [
    row(
      "45",
      "POST {rest}/tx/sign-and-submit: transaction, nonce, timestamp; X-API-Key or session; the enclave signs and forwards.",
      {},
    ),
    row(
      "46",
      "POST {validator}/v1/tx: transaction, chain_id, signer[32], signature[64], nonce, timestamp; no header.",
      { bot: "every transaction" },
    ),
    row("47", "The signed message is the UTF-8 of the JSON array [chain_id, transaction, nonce, timestamp].", {
      bot: "every transaction",
    }),
    row("48", "The signature covers the exact text: another key, value, order or blank invalidates it.", {
      bot: "every transaction",
      assumed: [
        assume("", {
          what: "a key twice, a fraction, a field that the variant does not have: HTTP 400",
          why: "two parsers could read such a text as two transactions",
        }),
      ],
    }),
    row("49", "Parsed before the signature is verified.", {
      assumed: [
        assume("", {
          what: "then: chain id, timestamp, signature, authority, request budget, nonce",
          why: "cheap and stateless checks first; each relies on the one before",
        }),
      ],
    }),
    row("50a", "Executed: status success, hash, events.", {
      bot: "every transaction",
      assumed: [assume("x5", { what: "the hash is SHA-256 of the body", why: "any sender can compute it" })],
    }),
    row("50b", "Executed and refused: status failed, hash, empty events, error.", {
      bot: "every transaction",
      assumed: [
        assume("NS-25", {
          what: "HTTP 200; the client goes by the body, whatever the code",
          why: "the request itself was in order",
        }),
        assume("NS-24", {
          what: "a stable sentence and a code; the client decides by the code alone",
          why: "programs use codes, people read sentences",
        }),
      ],
    }),
    row("51a", "Missing or another chain id is 400."),
    row("51b", "Clients compare the chain id with node info before they sign.", { bot: "at start, exit 2" }),
    row("52", "The timestamp is in Unix seconds, near chain time.", {
      bot: "every transaction",
      assumed: [
        assume("NS-29", {
          what: "60 seconds either way, the limit included",
          why: "enough for a slow clock, too little for a replay by hand",
          choose: "configuration: timestampToleranceSecs",
        }),
      ],
    }),
  ],
};

export const scope: Section = {
  title: "Authentication and scope (S5)",
  rows: [
    row("71", "An API key: the five trading variants, Transfer, vault interactions, vault share withdrawal.", {
      assumed: [
        assume("", {
          what: "CreateVault, DepositToVault and WithdrawFromVault are ours: the interface names no transaction of vaults",
          why: "S5 lists what they do without a payload",
          choose: "client option: unshownPayloads",
        }),
      ],
    }),
    row("72", "An API key may not: bridge withdrawals, agents, export, subaccounts.", {
      assumed: [
        assume("", {
          what: "HTTP 403, before anything is signed",
          why: "the credential is known and does not suffice",
        }),
      ],
    }),
    row("73", "An agent key: the five trading variants and nothing else.", { bot: "Place, Cancel, CancelAll, Modify" }),
    row("74", "An agent on a master trades the family, one on a subaccount that one alone.", {
      bot: "one key an account",
    }),
    row(
      "75",
      "An agent is active strictly before expires_at, listed until revoked, and updated in place when approved again.",
      { bot: "gate agentKey, a margin before" },
    ),
    row("76", "Public reads need no credential; transfers and indexed history do.", {
      bot: "public reads alone",
      assumed: [
        assume("", {
          what: "a credential that owns the account is needed for each account's history, and any for GET /v1/stats",
          why: "S4.3 heads all five with session or API key, owned accounts only",
        }),
      ],
    }),
    row("77", "The hosted key is made inside the enclave and never given out; export is for a browser session.", {
      assumed: [
        assume("", {
          what: "the devnet offers no export at all",
          why: "S5 asks for a browser session, which the devnet does not have",
        }),
      ],
    }),
  ],
};

export const nonces: Section = {
  title: "Nonces and replay (S5)",
  rows: [
    row("78", "Strictly between T - 2 days and T + 1 day, T the block's time in ms.", {
      bot: "its nonces",
      assumed: [
        assume("", {
          what: "T is the time of the block that the transaction executes in",
          why: "S5: T is the block timestamp",
        }),
      ],
    }),
    row("79", "Never used by the signer before.", {
      bot: "fences an unknown transaction with its nonce",
      assumed: [
        assume("x6", {
          what: "a refused transaction uses its nonce up, a rejected one does not",
          why: "it was executed; what was not left no trace",
          choose: "configuration: refusedNonce",
        }),
        assume("", {
          what: "of keys without account, approval or deposit 4,096 are remembered with 100 nonces each; beyond that their transactions are 429 before they execute",
          why: "countless keys must not fill the memory, and what such a key could execute would be refused",
          elsewhere: "Hyperliquid answers a key without an account that it does not exist",
        }),
      ],
    }),
    row("80", "Above the smallest of the signer's last 100, once there are 100.", {
      bot: "its clock is guarded",
      assumed: [
        assume("", {
          what: "the floor is the smallest of the 100 nonces used last, in order of use, those of refused transactions among them; the floor itself is stale",
          why: "S5: greater than the smallest of the 100 most recent; most recent is an order of use",
          choose: "configuration: refusedNonce",
        }),
      ],
    }),
    row("81", "CancelOrder: neither checked nor committed, but sent.", {
      bot: "cancels wait for no nonce",
      assumed: [
        assume("", {
          what: "the same signed CancelOrder may come again, and is refused once its order is gone",
          why: "the exchange remembers nothing of it",
        }),
      ],
    }),
    row("82", "The time in ms, read for each; the last plus one within a millisecond.", { bot: "its own allocator" }),
    row("83", "A window a signing key; hosted requests share the owner's.", { bot: "one key, one daemon" }),
  ],
};

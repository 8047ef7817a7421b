// Rows 1 to 9: conventions (S1, S2.1).

import { assume, row, type Section } from "../row.ts";

export const conventions: Section = {
  title: "Conventions (S1, S2.1)",
  rows: [
    row("1", "Prices have 8 decimals, sizes, USDC and NATIVE 6; all are whole numbers.", { bot: "everywhere" }),
    row("2", "Notional is price x size, scaled to USDC; the product outgrows 64 bits and stays exact.", {
      bot: "margin, limits, profit",
      assumed: [
        assume("x3", {
          what: "fees, funding and profit round against the trader, to the base unit",
          why: "the exchange never owes more than it holds",
        }),
      ],
    }),
    row("3a", "Most answers of the validator are camelCase.", { bot: "all reads" }),
    row("3b", "Fee tiers, node info, public trades, stream events and payloads are snake_case.", {
      bot: "all reads and channels",
      assumed: [
        assume("NS-3", {
          what: "treasury-config and bridge state are snake_case too, after the fields that are shown",
          why: "the fields of theirs that are shown are",
        }),
      ],
    }),
    row("3c", "A position mixes both: margin_mode and isolated_margin stand in camelCase.", {
      bot: "positions of the account",
    }),
    row("4a", "Whole numbers come as decimal text or as numbers, each as the interface shows.", { bot: "all reads" }),
    row("4b", "u64 ids are exact over their whole range, both ways.", { bot: "all ids" }),
    row("4c", "Numbers of payloads are bare digits of the right type.", { bot: "all transactions" }),
    row("5a", "Owner lookups take 64 hex characters, with or without 0x."),
    row("5b", "An owner is bare lowercase hex, an agent's key hex with 0x.", { bot: "the agent key's approval" }),
    row("5c", "Keys in payloads are arrays of 32 numbers."),
    row("6a", "A field of type T or null may be null or left out.", {
      bot: "PlaceOrder",
      assumed: [
        assume("", {
          what: "optional fields without a default are of that type: referred_by, name, expires_at",
          why: "S2.1 names the two fields that null is refused for, and these are not among them",
        }),
      ],
    }),
    row("6b", "margin_mode and leverage have a default: left out when unset, null is HTTP 400.", {
      bot: "PlaceOrder leaves both out",
    }),
    row("7", "USDC alone is collateral; NATIVE counts neither as collateral nor as equity.", { bot: "equity" }),
    row("8a", "A transaction carries exactly one action.", { bot: "one command, one transaction" }),
    row("8b", "Transactions of one block are executed one after the other.", {
      bot: "a requote may end after any of its transactions",
      assumed: [
        assume("x7", {
          what: "a block each blockTimeMs, empty ones too",
          why: "a chain's time goes on without transactions",
          choose: "configuration: blockTimeMs, clock",
        }),
        assume("x14", { what: "in the order of arrival", why: "S1 says one after the other and names no other order" }),
      ],
    }),
    row("9", "Three paths: an agent key signs, the enclave signs for API key or session, the owner signs.", {
      bot: "its agent key alone",
    }),
  ],
};

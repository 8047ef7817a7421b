// A block as the exchange reports it (explorer channel, S6.2).

export type BlockTransaction = {
  readonly hash: string;
  readonly index: number;
  /** Name of the transaction's variant, such as PlaceOrder. */
  readonly transactionType: string;
  /** Public key, 64 lowercase hex characters. */
  readonly sender: string;
  readonly status: string;
  readonly timestampMs: number;
};

export type Block = {
  readonly height: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly stateRoot: string;
  readonly proposer: string;
  readonly timestampMs: number;
  /** Number of transactions in the block; on the channel, `transactions` lists only the first. */
  readonly transactionCount: number;
  readonly transactions: readonly BlockTransaction[];
};

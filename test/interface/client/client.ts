// A client of the whole interface (S4 to S6): every read of both hosts, every transaction by every path, every channel. It is one
// environment: a pinned chain and its two hosts (S9). The bot speaks through the narrower port; this is for everything else.

import { defaultRemoteOptions, type RemoteOptions } from "../../../src/bot/venue/remote/remote.ts";
import type { Signer } from "../../../src/wire/signing.ts";
import { type AccountReads, createAccountReads, createTransferReads, type TransferReads } from "./account-reads.ts";
import { type Credential, headersFor } from "./credential.ts";
import { createDevnetReads, type DevnetReads } from "./devnet-reads.ts";
import { createExchangeReads, type ExchangeReads } from "./exchange-reads.ts";
import { type FundedAccountEnd, type FundedAccountOptions, openFundedAccount } from "./funded-account.ts";
import { createHistoryReads, type HistoryReads } from "./history-reads.ts";
import { openHost } from "./host.ts";
import { createSender, type Sender } from "./sender.ts";
import { createStakingReads, type StakingReads } from "./staking-reads.ts";
import { createStreams, type Streams, type StreamsModules } from "./streams.ts";
import { createUnsendable, type UnsendableOptions } from "./unsendable.ts";

export type ClientOptions = UnsendableOptions & {
  /** The chain that is signed for, whatever the node says of itself. */
  readonly chainId: string;
  /** http or https; a path stands before every path of the interface. */
  readonly validatorUrl: string;
  readonly restUrl: string;
  readonly credential: Credential | null;
  /** Where different from the usual: times, connections, the WebSocket's address. */
  readonly remote?: Partial<Omit<RemoteOptions, "validatorUrl">>;
};

/** The clock's wall is taken for the chain's: it makes nonces and timestamps. */
export type ClientModules = StreamsModules;

export type Client = Sender & {
  readonly exchange: ExchangeReads;
  readonly accounts: AccountReads;
  readonly transfers: TransferReads;
  readonly history: HistoryReads;
  readonly staking: StakingReads;
  readonly devnet: DevnetReads;
  readonly openFundedAccount: (owner: Signer, options: FundedAccountOptions) => Promise<FundedAccountEnd>;
  readonly stream: Streams["open"];
  /** Frees sockets and timers. */
  readonly close: () => Promise<void>;
};

/** Opens nothing yet: connections are made as they are needed. Throws TypeError when an address is not a URL. */
export function createClient(options: ClientOptions, modules: ClientModules): Client {
  const { validatorUrl, restUrl, chainId, credential } = options;
  const remote = { ...defaultRemoteOptions, ...options.remote, validatorUrl };
  const { clock } = modules;
  const validator = openHost(validatorUrl, remote, modules);
  const rest = openHost(restUrl, remote, modules);
  const streams = createStreams(remote, modules);
  const headers = headersFor(credential);
  const open = validator.get({});
  const exchange = createExchangeReads(open);
  const accounts = createAccountReads(open);
  const sender = createSender(
    { chainId },
    {
      clock,
      exchange,
      unsendable: createUnsendable(options, exchange),
      post: (body) => validator.post("/v1/tx", body, {}),
      postHosted: (body) => rest.post("/tx/sign-and-submit", body, headers),
    },
  );
  const { submit } = sender;
  return {
    ...sender,
    exchange,
    accounts,
    transfers: createTransferReads(validator.get(headers)),
    history: createHistoryReads(rest.get(headers)),
    staking: createStakingReads(open),
    devnet: createDevnetReads(open),
    openFundedAccount: (owner, how) => openFundedAccount(owner, how, { clock, exchange, accounts, submit }),
    stream: streams.open,
    async close() {
      streams.closeAll();
      await Promise.all([validator.close(), rest.close()]);
    },
  };
}

// All HTTP routes of the validator's host.

import type { Chain } from "../../chain/chain.ts";
import type { Credentials } from "../http/credentials.ts";
import type { Route } from "../http/router.ts";
import { validatorOperations } from "../reference/operations.ts";
import { referenceRoutes, streamReferenceRoute } from "../reference/routes.ts";
import { STREAM_PATH } from "../stream/stream.ts";
import { accountRoutes, transferRoutes } from "./accounts.ts";
import { explorerRoutes, ownRoutes } from "./devnet-reads.ts";
import { marketRoutes } from "./markets.ts";
import type { ServedReads } from "./served-reads.ts";
import { transactionRoutes } from "./transactions.ts";

export function validatorRoutes(chain: Chain, served: ServedReads, credentials: Credentials): readonly Route[] {
  return [
    ...marketRoutes(served, chain.reads),
    ...accountRoutes(served, chain.reads),
    ...transferRoutes(chain.reads, credentials),
    ...explorerRoutes(chain.reads),
    ...ownRoutes(chain.reads),
    ...transactionRoutes(chain),
    ...referenceRoutes("validator", validatorOperations),
    streamReferenceRoute(STREAM_PATH),
  ];
}

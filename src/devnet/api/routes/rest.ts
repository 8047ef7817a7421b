// All routes of the hosted REST API: signing by the enclave, and the index (S4.3, S4.5).

import type { Chain } from "../../chain/chain.ts";
import { type Credentials, isReply } from "../http/credentials.ts";
import { post, type Route } from "../http/router.ts";
import { restOperations } from "../reference/operations.ts";
import { referenceRoutes } from "../reference/routes.ts";
import type { History } from "./history.ts";
import { historyRoutes } from "./history-routes.ts";
import { answerReply } from "./transactions.ts";

export function restRoutes(chain: Chain, credentials: Credentials, history: History): readonly Route[] {
  return [
    ...historyRoutes({ history, credentials, reads: chain.reads }),
    post("/tx/sign-and-submit", async (request) => {
      const caller = credentials.of(request);
      return isReply(caller) ? caller : answerReply(await chain.submitHosted(caller, request.body));
    }),
    ...referenceRoutes("REST", restOperations),
  ];
}

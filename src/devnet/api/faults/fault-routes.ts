// Faults on demand over the control listener: POST /faults, GET /faults, DELETE /faults and DELETE /faults/{id}. They exist for
// drills and tests.

import type { Json } from "../../../kernel/json.ts";
import type { Receipt } from "../../event.ts";
import { controlFields } from "../control/control-body.ts";
import { countIn } from "../http/path-values.ts";
import { json, notFound, receiptReply } from "../http/reply.ts";
import { get, post, type Route, remove } from "../http/router.ts";
import { type FaultAct, faultKeys, type LastingFault, readFault } from "./fault-rules.ts";
import type { ActiveFault, Faults } from "./faults.ts";

export function faultRoutes(faults: Faults, act: (fault: FaultAct) => Receipt): readonly Route[] {
  return [
    get("/faults", () => json({ faults: faults.list().map(encodeFault) })),
    post("/faults", ({ body }) => {
      const fault = readFault(controlFields(body, faultKeys));
      if ("probability" in fault) return json(encodeFault(faults.add(fault)));
      return receiptReply(act(fault));
    }),
    remove("/faults", () => {
      faults.removeAll();
      return json({ status: "success" });
    }),
    remove("/faults/{id}", ({ params }) => {
      const id = countIn(params.id);
      const gone = id !== undefined && faults.remove(id);
      return gone ? json({ status: "success" }) : notFound("UNKNOWN_FAULT", "there is no such fault in force");
    }),
  ];
}

const encodeFault = ({ id, fault, hits }: ActiveFault): Json => ({ id, hits, ...(fault satisfies LastingFault) });

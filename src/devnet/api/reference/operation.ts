// Description of one route in the reference, and the parameters that several routes share.

import { type JsonSchema, wholeNumber } from "../../../wire/description.ts";
import * as v from "../../../wire/values.ts";

/** Anything with a JSON schema: a description of the wire. */
export type Described = { readonly schema: JsonSchema };

export type Parameter = {
  readonly schema: { readonly schema: JsonSchema };
  readonly says: string;
  readonly required?: boolean;
};

export type Operation = {
  /** Method name in generated clients; unique within its host. */
  readonly id: string;
  /** One sentence, with the section of the interface. */
  readonly says: string;
  /** The 200 answer: a schema, or text of another content type. */
  readonly answer: Described | { readonly contentType: string };
  readonly query?: Readonly<Record<string, Parameter>>;
  readonly body?: Described;
  /** Needs X-API-Key or an owner session. */
  readonly ofOwner?: true;
};

/** The parameter for a brace of a path; the meaning of `{id}` depends on the segment before it. */
export function pathParameter(path: string, name: string): Parameter {
  if (name === "owner")
    return {
      schema: { schema: { type: "string", pattern: "^(0x)?[0-9a-fA-F]{64}$" } },
      says: "owner's public key, hex, with or without 0x",
    };
  if (name === "height") return { schema: v.height, says: "block height" };
  return path.includes("/markets/") || path.includes("/oracle/")
    ? { schema: v.marketId, says: "market id" }
    : { schema: v.accountId, says: "account id" };
}

/** Filter of the indexed history. */
export const historyQuery: Readonly<Record<string, Parameter>> = {
  limit: { schema: { schema: { ...wholeNumber(1, 1000), default: 100 } }, says: "rows at most" },
  offset: { schema: { schema: { ...v.count.schema, default: 0 } }, says: "rows to leave out, newest first" },
  startTime: { schema: v.timeMs, says: "from this time, included" },
  endTime: { schema: v.timeMs, says: "until this time, included" },
  marketId: { schema: v.marketId, says: "of this market alone" },
};

// Why the daemon did not start, in one line for the operator.

import { CodedError } from "../../../kernel/errors.ts";

/** `configuration`: what was asked for is wrong (exit 2); `failed`: the world did not play along (exit 1). */
export class StartError extends CodedError<"configuration" | "failed"> {}

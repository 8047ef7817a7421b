// Why the daemon did not start, in one line for the operator.

import { CodedError } from "../../../kernel/errors.ts";

/** `configuration`: the request is wrong (exit 2); `failed`: something outside failed (exit 1). */
export class StartError extends CodedError<"configuration" | "failed"> {
  /** Orders that may rest because the start had begun to send, a line each (exit 3). */
  readonly remaining: readonly string[];

  constructor(
    code: "configuration" | "failed",
    message: string,
    options: ConstructorParameters<typeof CodedError>[2] & { readonly remaining?: readonly string[] } = {},
  ) {
    super(code, message, options);
    this.remaining = options.remaining ?? [];
  }
}

// Why a command was not sent. Closed sets.

/** The key has no nonce for new exposure. */
export type NonceRefusalCode = "offsetUnknown" | "offsetTooLarge" | "tooManyInFlight" | "notReserved";

/** `journal`: the intent cannot be written, so new exposure is not sent. `closed`: execution has ended. */
export type SendRefusalCode = NonceRefusalCode | "journal" | "closed" | "allowance";

export type DropReason =
  | SendRefusalCode
  | "superseded"
  | "unwanted"
  | "denied"
  | "stopped"
  | "inFlight"
  | "backOff"
  | "resolving"
  | "queueFull";

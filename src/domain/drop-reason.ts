// Why a command was not sent. Closed sets.

/** The key has no nonce for new exposure. */
export type NonceRefusalCode = "offsetUnknown" | "offsetTooLarge" | "tooManyInFlight" | "notReserved";

/** `journal`: it cannot be written down, so new exposure stays here. `closed`: the execution has ended. */
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

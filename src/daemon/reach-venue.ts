// A connection to the exchange of a configuration, beside the daemon's own. An embedded exchange lives in its daemon's process and is
// reached through that daemon alone.

import type { BotConfig } from "../bot/config/config.ts";
import type { Venue } from "../bot/venue/port.ts";
import {
  createRemoteVenue,
  defaultRemoteOptions,
  type RemoteOptions,
  sockets,
  type Transport,
} from "../bot/venue/remote/remote.ts";
import type { Host } from "../host/host.ts";
import { printable } from "../kernel/printable.ts";
import { createPrng } from "../kernel/prng.ts";

/** Null for an embedded exchange. Connections are opened on first use, since a command sends little. */
export function reachVenue(
  { venue }: Pick<BotConfig, "venue">,
  host: Pick<Host, "clock">,
  options: Partial<RemoteOptions> = {},
  transport: Transport = sockets(host),
): Venue | null {
  if (venue.kind === "embedded") return null;
  const { validatorUrl, wsUrl } = venue;
  const modules = { clock: host.clock, prng: createPrng(0n), report: () => {}, transport };
  return createRemoteVenue({ ...defaultRemoteOptions, warmConnections: 0, ...options, validatorUrl, wsUrl }, modules);
}

/** A sentence when the exchange reports another chain than the configuration; undefined also when it does not answer. */
export async function otherChain(
  { venue: { chainId } }: Pick<BotConfig, "venue">,
  { reads }: Venue,
): Promise<string | undefined> {
  const node = await reads.node().catch(() => undefined);
  if (node === undefined || node.chainId === chainId) return undefined;
  return `the exchange is ${printable(node.chainId, 80)}, the configuration says ${chainId}; nothing was sent`;
}

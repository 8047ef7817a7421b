// `quoin fleet run`: reads the configuration and runs a node of the fleet until a signal stops it.

import { runFleetNode } from "../daemon/fleet/run-node.ts";
import { untilDaemonStops } from "../daemon/process/npm-watch.ts";
import { EXIT_USAGE, type ExitCode, type Host } from "../host/host.ts";
import { readForStart } from "./read-config.ts";

export async function fleetRun({ config: file }: { readonly config: string }, host: Host): Promise<ExitCode> {
  const stopped = untilDaemonStops(host);
  const config = await readForStart(file, host);
  return config === undefined ? EXIT_USAGE : runFleetNode(config, stopped, host);
}

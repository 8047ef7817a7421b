// The program: hands its words, its streams and its signals to the command line, and ends with the command's exit code.

import { runCommand } from "./command-line.ts";
import { daemonHost, processHost as host } from "./host/process.ts";

process.exitCode = await runCommand(process.argv.slice(2), { host, daemonHost });

// The MCP server over stdio: tools and resources. Each answer is JSON, with foreign words marked.

import type { Readable, Writable } from "node:stream";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { DaemonAnswer } from "../../daemon/running/ask-daemon.ts";
import { type Asking, proposeTool, readTools, type Tool } from "./tools.ts";
import { marked, UNTRUSTED_NOTE } from "./untrusted.ts";

/** Size limit of an unfinished message. */
const MESSAGE_BYTES_MAX = 1_048_576;

export type McpOptions = {
  readonly version: string;
  /** Whether the agent may propose. */
  readonly proposes: boolean;
  /** Documents by name, each with a function that reads it. */
  readonly documents: ReadonlyMap<string, () => string>;
};

/** Serves until the input ends. */
export async function serveMcp(
  { version, proposes, documents }: McpOptions,
  asking: Asking,
  { input, output }: { readonly input: Readable; readonly output: Writable },
): Promise<void> {
  const server = new McpServer({ name: "quoin", version }, { instructions: UNTRUSTED_NOTE });
  for (const tool of proposes ? [...readTools, proposeTool] : readTools) addTool(server, tool, asking);
  server.registerResource(
    "log",
    "quoin://log",
    { description: "What changed in the daemon: quotes, halts, strategies", mimeType: "application/json" },
    async ({ href }) => ({ contents: [{ uri: href, mimeType: "application/json", text: await logText(asking) }] }),
  );
  for (const [name, read] of documents)
    server.registerResource(
      name,
      `quoin://docs/${name}`,
      { description: `Quoin's documentation: ${name}`, mimeType: "text/markdown" },
      ({ href }) => ({ contents: [{ uri: href, mimeType: "text/markdown", text: read() }] }),
    );
  const ended = new Promise<void>((resolve) => {
    input.once("end", resolve);
    input.once("close", resolve);
  });
  await server.connect(new StdioServerTransport(input, output, { maxBufferSize: MESSAGE_BYTES_MAX }));
  await ended;
  await server.close();
}

function addTool(server: McpServer, { name, description, input, readOnly, run }: Tool, asking: Asking): void {
  const annotations = { readOnlyHint: readOnly, destructiveHint: false, openWorldHint: false };
  server.registerTool(name, { description, inputSchema: input, annotations }, async (given) =>
    resultOf(await run(given, asking)),
  );
}

function resultOf(answer: DaemonAnswer): CallToolResult {
  if (answer.kind !== "done") return { isError: true, content: [{ type: "text", text: whyOf(answer) }] };
  const body = marked(answer.body) as Record<string, unknown>;
  return {
    structuredContent: body,
    content: [
      { type: "text", text: JSON.stringify(body) },
      { type: "text", text: UNTRUSTED_NOTE },
    ],
  };
}

/** A refusal may quote the exchange. */
const whyOf = (answer: Exclude<DaemonAnswer, { readonly kind: "done" }>): string =>
  answer.kind === "nobody" ? "no daemon answers" : JSON.stringify(marked({ error: answer.why }));

async function logText({ get }: Asking): Promise<string> {
  const answer = await get("/log.json");
  if (answer.kind !== "done") throw new Error(whyOf(answer));
  return JSON.stringify(marked(answer.body));
}

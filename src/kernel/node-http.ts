// Node's HTTP without the cost of importing "node:http". An import reads every exported name; one of them is WebSocket, and reading it
// loads all of Node's fetch: 35 ms at each start.

export const { Agent, createServer, request } = process.getBuiltinModule("node:http");

// Node's HTTP without what an import of "node:http" costs. An import reads every name that the module exports. One of them is WebSocket,
// and reading it loads all of Node's fetch: 35 ms of each start.

export const { Agent, createServer, request } = process.getBuiltinModule("node:http");

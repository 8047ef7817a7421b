// The API reference as one page in the look of the others: no script and no external file, so it can be read anywhere.

import { type Json, stringifyJson } from "../../../kernel/json.ts";
import { lookText } from "../../../look/files.ts";
import type { DescribedOperation, OpenApi } from "./openapi.ts";

export function pageOf({ info, paths, components }: OpenApi): string {
  const operations = Object.entries(paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, operation]) => operationText(`${method.toUpperCase()} ${path}`, operation)),
  );
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details class="card" id="${name}"><summary><code>${name}</code></summary>${schemaText(schema)}</details>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(info.title)}</title>
<style>${lookText("look.css")}${STYLE}</style>
</head>
<body>
<header class="top devnet"><h1>${escaped(info.title)}</h1><span class="badge">DEVNET</span></header>
<main class="body">
<p>${escaped(info.description)} For programs: <a href="/openapi.json">openapi.json</a>.</p>
<h2>Requests</h2>
${operations.join("\n")}
<h2>Shapes</h2>
${schemas.join("\n")}
</main>
</body>
</html>
`;
}

/** More line spacing than a page of figures needs. */
const STYLE =
  ".body{max-width:64rem;font-size:14px}pre{overflow:auto}pre,td{line-height:1.5}table{width:auto}td,th{text-align:left;padding-right:14px}";

function operationText(
  title: string,
  { summary, parameters, requestBody, responses, security }: DescribedOperation,
): string {
  const rows = parameters.map(
    ({ name, in: place, required, description }) =>
      `<tr><td><code>${name}</code><td>${place}<td>${required ? "required" : "optional"}<td>${escaped(description)}</tr>`,
  );
  const answered = Object.entries(responses).flatMap(([status, { content }]) =>
    Object.entries(content).map(([type, { schema }]) => `<p>${status}, ${escaped(type)}</p>${schemaText(schema)}`),
  );
  const body = requestBody?.content["application/json"];
  return (
    `<details class="card"><summary><code>${escaped(title)}</code> ${escaped(summary)}</summary>` +
    (security.length > 0 ? "<p>Needs <code>X-API-Key</code> or an owner session.</p>" : "") +
    (rows.length > 0 ? `<table><tr><th>Parameter<th>In<th><th>Meaning</tr>${rows.join("")}</table>` : "") +
    (body === undefined ? "" : `<p>Body</p>${schemaText(body.schema)}`) +
    `${answered.join("")}</details>`
  );
}

/** Turns references into links to the named schema. */
const schemaText = (schema: unknown): string =>
  `<pre>${escaped(stringifyJson(schema as Json, 2)).replaceAll(
    /#\/components\/schemas\/(\w+)/g,
    (reference, name: string) => `<a href="#${name}">${reference}</a>`,
  )}</pre>`;

const escaped = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

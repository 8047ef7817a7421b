// An operator's requests of a test or bench to the control listener of a devnet.

/** The answer as it came, whatever its status. */
export const operate = (
  { controlUrl }: { readonly controlUrl: string },
  method: "GET" | "POST" | "PATCH" | "DELETE",
  path: string,
  body?: unknown,
): Promise<Response> => fetch(controlUrl + path, { method, ...(body === undefined ? {} : jsonBody(body)) });

/** Body and header of a request that carries JSON. */
export const jsonBody = (value: unknown) => ({
  headers: { "content-type": "application/json" },
  body: JSON.stringify(value),
});

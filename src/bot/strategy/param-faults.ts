// What is wrong with a strategy's parameters, in words of its own schema: the descriptions say what is allowed.

import { z } from "zod";
import { refused } from "../../kernel/shown.ts";

type Issue = z.core.$ZodIssue;

/** What `schema` refused of `written`, each issue with what would be allowed. Rules of the schema that join parameters speak for themselves. */
export function paramIssues(schema: z.ZodType, written: unknown, issues: readonly Issue[]): readonly Issue[] {
  const shape = schema instanceof z.ZodObject ? (schema.shape as Readonly<Record<string, z.ZodType>>) : {};
  return issues.map((issue): Issue => {
    if (issue.code === "unrecognized_keys" && issue.path.length === 0) {
      return { ...issue, message: `unknown parameter; allowed: ${Object.keys(shape).join(", ")}` };
    }
    const [name, ...deeper] = issue.path;
    const allowed = descriptionOf(shape[String(name)]);
    if (allowed === undefined || deeper.length > 0) return issue;
    const value = (written as Readonly<Record<PropertyKey, unknown>> | null)?.[name ?? ""];
    return { ...issue, message: `${refused(value)}allowed: ${allowed}` };
  });
}

/** A description may stand on the kind itself, below a default or an option. */
function descriptionOf(schema: z.ZodType | undefined): string | undefined {
  if (schema === undefined || schema.description !== undefined) return schema?.description;
  const isWrapped =
    schema instanceof z.ZodDefault || schema instanceof z.ZodOptional || schema instanceof z.ZodNullable;
  return isWrapped ? descriptionOf(schema.unwrap() as z.ZodType) : undefined;
}

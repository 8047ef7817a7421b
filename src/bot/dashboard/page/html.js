// Markup as templates of preact, without a build step; no word of others hides in it or turns its reading direction around.

import htm from "htm";
import { h, options } from "preact";

/** @import { VNode } from "preact" */

/** htm keeps an element that never changes for the next time, and with it preact's whole tree of then: this says not to. */
const FRESH = 3;

/** @this {number[]} @param {Parameters<typeof h>} given */
function fresh(...given) {
  this[0] = FRESH;
  return h(...given);
}

export const html =
  /** @type {(strings: TemplateStringsArray, ...values: readonly unknown[]) => VNode} */
  (htm.bind(/** @type {typeof h} */ (fresh)));

/** As `kernel/printable.ts` has it. */
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** @type {(text: string) => string} */
export const visible = (text) =>
  text.replace(HIDDEN, (hidden) =>
    hidden === "\n" || hidden === "\t"
      ? hidden
      : hidden
          .split("")
          .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
          .join(""),
  );

const SPOKEN = ["title", "aria-label"];

// Every text becomes a node of no type whose properties are the text itself; what is spoken or shown of an element passes here too.
options.vnode = (node) => {
  const { type, props } = /** @type {{ type: unknown; props: unknown }} */ (node);
  if (typeof props === "string") Object.assign(node, { props: visible(props) });
  else if (typeof type === "string") {
    const given = /** @type {Record<string, unknown>} */ (props);
    for (const name of SPOKEN) {
      const text = given[name];
      if (typeof text === "string") given[name] = visible(text);
    }
  }
};

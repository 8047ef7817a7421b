// Markup as preact templates, without a build step; foreign text cannot hide in it or reverse the reading direction.

import htm from "htm";
import { h, options } from "preact";

/** @import { VNode } from "preact" */

/** htm keeps an element that never changes for reuse, and with it preact's whole tree at that time: this prevents it. */
const FRESH = 3;

/** @this {number[]} @param {Parameters<typeof h>} given */
function fresh(...given) {
  this[0] = FRESH;
  return h(...given);
}

export const html =
  /** @type {(strings: TemplateStringsArray, ...values: readonly unknown[]) => VNode} */
  (htm.bind(/** @type {typeof h} */ (fresh)));

/** As in `kernel/printable.ts`. */
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

// preact makes a node without a type for every text, whose props are the text itself; text attributes of elements are checked here too.
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

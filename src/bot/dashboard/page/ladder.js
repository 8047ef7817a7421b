// The book as a ladder: depth as bars, our own orders, the size ahead of them, and a list of our orders with cancel buttons.

import { html } from "./html.js";
import { decimal } from "./words.js";

/**
 * @import { BookRow, MarketDetail } from "../detail.ts"
 * @import { MarketStatus } from "../status.ts"
 */

/** @type {(side: "bid" | "ask", row: BookRow, deepest: number) => unknown} */
const row = (side, { price, size, own, ahead }, deepest) =>
  html`<tr key=${`${side}${price}`} class=${own > 0 ? `own ${side}` : side}>
    <th scope="row">${side}</th>
    <td class="price">${decimal(price)}</td>
    <td class="depth"><i style=${{ width: `${(100 * size) / (deepest || 1)}%` }}></i><span>${decimal(size, 3)}</span></td>
    <td>${own > 0 ? `● ${decimal(own, 3)}` : ""}</td>
    <td>${own === 0 ? "" : ahead === null ? "—" : decimal(ahead, 3)}</td>
  </tr>`;

/** @type {(book: NonNullable<MarketDetail["book"]>, mid: number | null) => unknown} */
function spreadRow({ bids, asks }, mid) {
  const [bid, ask] = [bids[0]?.price, asks[0]?.price];
  const spread = bid === undefined || ask === undefined || mid === null ? null : (10_000 * (ask - bid)) / mid;
  return html`<tr class="middle" key="middle">
    <th scope="row">mid</th>
    <td class="price">${decimal(mid)}</td>
    <td colspan="3">${spread === null ? "one side is empty" : `spread ${decimal(spread, 1)} bps`}</td>
  </tr>`;
}

/** @param {{ readonly detail: MarketDetail }} props */
export function Ladder({ detail: { book, mid } }) {
  if (book === null) return html`<section class="card ladder"><h3>Book</h3><p class="soft">no book yet</p></section>`;
  const deepest = Math.max(...[...book.asks, ...book.bids].map(({ size }) => size));
  return html`<section class="card ladder" aria-label="Book">
    <h3>Book</h3>
    <table>
      <thead><tr>${["side", "price", "size", "ours", "ahead"].map((name) => html`<th key=${name} scope="col">${name}</th>`)}</tr></thead>
      <tbody>
        ${book.asks.toReversed().map((each) => row("ask", each, deepest))}
        ${spreadRow(book, mid)}
        ${book.bids.map((each) => row("bid", each, deepest))}
      </tbody>
    </table>
  </section>`;
}

/** @type {(orderId: string, words: string) => unknown} */
const cancelButton = (orderId, words) =>
  html`<button type="button" data-action="cancelOrder" data-order=${orderId} data-means=${words} aria-label=${`cancel the ${words}`}>cancel</button>`;

/** @param {{ readonly market: MarketStatus }} props */
export const Orders = ({ market: { asks, bids } }) =>
  html`<section class="card orders" aria-label="Our orders">
    <h3>Our orders</h3>
    ${
      asks.length + bids.length === 0
        ? html`<p class="soft">none rests</p>`
        : html`<table>
            <thead><tr>${["side", "price", "size", "ahead of it", "state"].map((name) => html`<th key=${name} scope="col">${name}</th>`)}<td></td></tr></thead>
            <tbody>
              ${[
                ...asks.toReversed().map((order) => ({ side: "ask", ...order })),
                ...bids.map((order) => ({ side: "bid", ...order })),
              ].map(
                // A row with its own key for each order, so that a button never changes its order under the pointer.
                ({
                  side,
                  orderId,
                  price,
                  size,
                  queueAhead,
                  state,
                }) => html`<tr key=${orderId ?? `${side}${price}`} class=${side}>
                  <th scope="row">${side}</th><td class="price">${decimal(price)}</td><td>${decimal(size, 3)}</td>
                  <td>${queueAhead === null ? "—" : decimal(queueAhead, 3)}</td><td>${state}</td>
                  <td>${orderId === null ? null : cancelButton(orderId, `${side} ${decimal(size, 3)} at ${decimal(price)}`)}</td>
                </tr>`,
              )}
            </tbody>
          </table>`
    }
  </section>`;

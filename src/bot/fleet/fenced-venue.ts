// Checks the lease a last time directly before the socket: without a lease only cancels are sent.

import type { Venue } from "../venue/port.ts";

/** `lost`: why the account may no longer be traded from here, as a clause; undefined while it may. */
export const fencedVenue = (venue: Venue, lost: () => string | undefined): Venue => ({
  ...venue,
  submit(body, lane) {
    const why = lane === "cancel" ? undefined : lost();
    return why === undefined ? venue.submit(body, lane) : Promise.resolve({ kind: "notSent", why });
  },
});

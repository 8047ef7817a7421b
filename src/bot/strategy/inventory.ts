// The inventory that quotes lean against: the position, and contracts that count on top of it.

import { contractsOf } from "../../domain/rounding.ts";
import { size } from "../../domain/units.ts";
import { lastKnown, type View } from "../../domain/view.ts";

/** In contracts, signed; an unknown position counts as zero. */
export const skewInventory = ({ position, guidance }: Pick<View, "position" | "guidance">): number =>
  contractsOf(lastKnown(position)?.inventory ?? size(0n)) + guidance.extraInventory;

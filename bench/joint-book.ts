// Benefit of counting correlated markets together: two markets quoted as one book, against the same two quoted separately.

import { runJointDays } from "../test/support/joint-days.ts";
import type { Bench } from "./measure.ts";

const DAYS = 300;

export const jointBook: Bench = {
  name: "joint-book",
  async run({ quick }) {
    const [days, warmUpDays] = quick ? [8, 12] : [DAYS, undefined];
    const [apart, joint] = [runJointDays(false, days, warmUpDays), runJointDays(true, days, warmUpDays)];
    return {
      name: "joint-book",
      value: joint.deviation,
      unit: "USD a day, standard deviation of one book",
      reference: "two books apart",
      referenceValue: apart.deviation,
      ratio: joint.deviation / apart.deviation,
      beside: { "mean a day, one book": joint.mean, "mean a day, apart": apart.mean },
    };
  },
};

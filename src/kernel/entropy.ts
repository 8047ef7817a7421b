// Unpredictable bytes, only for keys. This is the one file that asks the machine for them.

import { randomBytes } from "node:crypto";

export type Entropy = { readonly bytes: (count: number) => Uint8Array };

export const systemEntropy: Entropy = { bytes: (count) => new Uint8Array(randomBytes(count)) };

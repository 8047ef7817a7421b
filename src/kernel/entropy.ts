// Unpredictable bytes, only for keys. Only this file requests them from the machine.

import { randomBytes } from "node:crypto";

export type Entropy = { readonly bytes: (count: number) => Uint8Array };

export const systemEntropy: Entropy = { bytes: (count) => new Uint8Array(randomBytes(count)) };

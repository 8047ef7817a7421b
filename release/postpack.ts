// `npm pack`, after it: see package.ts.

import { resolve } from "node:path";
import { postpack } from "./package.ts";

postpack(resolve(import.meta.dirname, ".."));

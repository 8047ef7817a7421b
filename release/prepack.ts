// `npm pack`, before it: see package.ts.

import { resolve } from "node:path";
import { prepack } from "./package.ts";

prepack(resolve(import.meta.dirname, ".."));

// The program's own files end in `.ts` in a checkout, which Node runs as it is, and in `.js` in the package, which is compiled.

import { extname } from "node:path";

export const programExtension = extname(import.meta.filename);

// Extension of the program's own files: `.ts` in a checkout, which Node runs directly, `.js` in the package, which is compiled.

import { extname } from "node:path";

export const programExtension = extname(import.meta.filename);

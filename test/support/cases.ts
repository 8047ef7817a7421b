// Setup before each test file: how many cases a property draws unless it asks for fewer, because one case takes long. `npm run fuzz`
// repeats each property thirty times, with new seeds.

import fc from "fast-check";

fc.configureGlobal({ numRuns: 300 });

// Set up before each test file: how many cases a property draws unless it says fewer, because one case of it is a long story. `npm run fuzz`
// repeats each property thirty times, with new seeds.

import fc from "fast-check";

fc.configureGlobal({ numRuns: 300 });

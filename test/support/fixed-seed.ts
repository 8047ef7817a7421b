// Set up before each test file of the suites that must say the same today and tomorrow: their properties draw the same cases on
// every run. The fuzz suite does without, and finds new ones.

import fc from "fast-check";

fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 1 });

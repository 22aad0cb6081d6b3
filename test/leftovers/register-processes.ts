import { registerTestFile } from './test-processes.ts';

// Runs before every integration test file.
registerTestFile();

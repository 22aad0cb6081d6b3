import './plain-environment.ts';
import { failWhereForbidden } from './forbid-effects.ts';
import { registerTestFile } from './leftovers/test-processes.ts';

// Runs before every unit test file. It is loaded anew for each of them, what it imports once in a worker.
registerTestFile();
failWhereForbidden();

import './plain-environment.ts';
import { failWhereForbidden } from './forbid-effects.ts';
import { registerTestFile } from './leftovers/test-processes.ts';

// Runs before every unit test file. This module is loaded again for each file, its imports once per worker.
registerTestFile();
failWhereForbidden();

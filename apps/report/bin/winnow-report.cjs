#!/usr/bin/env node

// The report is TypeScript, which Node runs by itself from this version on. An older one would fail with an error about syntax or file
// types, so this entry is plain JavaScript and says what is wrong.
const OLDEST = [22, 18];

const [major, minor] = process.versions.node.split('.').map(Number);
const isTooOld = major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);

if (isTooOld) {
  console.error(`winnow-report needs Node ${OLDEST.join('.')} or newer; this is ${process.versions.node}.`);
  process.exitCode = 1;
} else {
  import('../src/main.ts');
}

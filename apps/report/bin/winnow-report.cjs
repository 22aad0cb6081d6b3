#!/usr/bin/env node

// The report is TypeScript, which Node runs by itself from this version on. An older one would fail with an error about syntax or file
// types, so this entry is plain JavaScript and says what is wrong.
const OLDEST = 24;

if (Number(process.versions.node.split('.')[0]) < OLDEST) {
  console.error(`winnow-report needs Node ${OLDEST} or newer; this is ${process.versions.node}.`);
  process.exitCode = 1;
} else {
  import('../src/main.ts');
}

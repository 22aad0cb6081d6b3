#!/usr/bin/env node

// Plain JavaScript that versions of Node from 12 on can read, so that they are told what is wrong instead of failing with an error of syntax.
const OLDEST = 24;

if (Number(process.versions.node.split('.')[0]) < OLDEST) {
  console.error(`winnow-tools needs Node ${OLDEST} or newer; this is ${process.versions.node}.`);
  process.exitCode = 1;
} else {
  import('./dist/main.js');
}

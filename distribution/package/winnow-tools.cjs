#!/usr/bin/env node

// This file is plain JavaScript that Node 12 and later can parse, so that old versions report the problem and
// not a syntax error.
const OLDEST = 24;

if (Number(process.versions.node.split('.')[0]) < OLDEST) {
  console.error(`winnow-tools needs Node ${OLDEST} or newer; this is ${process.versions.node}.`);
  process.exitCode = 1;
} else {
  import('./dist/main.js');
}

#!/usr/bin/env node
import { runConformance } from './run-conformance.ts';

const stop = new AbortController();
process.once('SIGINT', () => stop.abort());

const { stderr } = process;
/** Clears the line of a terminal, and writes on it. */
const progress = (line: string) => stderr.write(`\r\u001B[K${line.slice(0, stderr.columns - 1)}`);

process.exitCode = await runConformance(process.argv.slice(2), {
  out: (text) => process.stdout.write(text),
  error: (text) => stderr.write(text),
  ...(stderr.isTTY && { progress }),
  signal: stop.signal,
});
// The case that was interrupted may wait for the gateway.
if (stop.signal.aborted) process.exit();

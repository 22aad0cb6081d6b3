#!/usr/bin/env node

// This file is plain JavaScript that Node 12 and later can parse, so that old versions report the problem and
// not a syntax error.
// biome-ignore lint/style/useNodejsImportProtocol: Node before 14.18 does not know it.
const { spawn } = require('child_process');

const OLDEST = 24;
const version = process.versions.node;

if (Number(version.split('.')[0]) >= OLDEST) {
  import('./dist/main.js');
} else {
  const isRun = process.argv[2] === 'run';
  const [options, command] = isRun ? readRun(process.argv.slice(3)) : [[], []];
  const isDirect = options.indexOf('--or-direct') >= 0 && command.length > 0;
  console.error(
    `winnow-tools needs Node ${OLDEST} or newer; this is ${version}. ${
      isDirect
        ? 'The command runs without Winnow.'
        : `npx brings one along: npx -p node@${OLDEST} -p winnow-tools winnow-tools …`
    }`,
  );
  if (isDirect) runDirectly(command);
  else process.exitCode = isRun ? 125 : 1;
}

/** Splits the words behind `run` into its options and the command; the options are those of `winnow-tools run`. */
function readRun(words) {
  let end = 0;
  while (end < words.length && words[end][0] === '-' && words[end] !== '--') {
    end += words[end] === '--config' ? 2 : 1;
  }
  return [words.slice(0, end), words.slice(words[end] === '--' ? end + 1 : end)];
}

/** Runs the command as its shell would, and ends like it. A terminal sends Ctrl-C to both; the command decides. */
function runDirectly([name, ...args]) {
  const child = spawn(name, args, { stdio: 'inherit' });
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('error', (error) => {
    console.error(`winnow: ${name}: ${error.code === 'ENOENT' ? 'command not found' : error.message}`);
    process.exitCode = error.code === 'ENOENT' ? 127 : 126;
  });
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of real servers for the tests: a cache that nothing else uses. */
export const REAL_SERVERS = join(import.meta.dirname, '../../../node_modules/.cache/winnow-mcp-servers');

/** Servers that others wrote, and the conformance suite of the protocol, at fixed versions. */
const NPM = [
  ...['everything', 'filesystem', 'memory', 'sequential-thinking'].map(
    (name) => `@modelcontextprotocol/server-${name}@2026.8.31`,
  ),
  '@modelcontextprotocol/conformance@0.2.0-alpha.12',
];
const PIP_PACKAGES = ['mcp==2.3.0', 'fastmcp==4.1.0'];

/** `npm run fetch:mcp-servers`: installs them. Without the network or without Python, what can be is. */
function install(): void {
  mkdirSync(REAL_SERVERS, { recursive: true });
  writeFileSync(join(REAL_SERVERS, 'package.json'), '{ "private": true }\n');
  const steps: (readonly [string, () => void])[] = [
    [
      'npm',
      () =>
        run('npm', [
          'install',
          '--no-audit',
          '--no-fund',
          '--ignore-scripts',
          '--prefix',
          REAL_SERVERS,
          ...NPM,
        ]),
    ],
    [
      'python',
      () => {
        const home = join(REAL_SERVERS, 'python');
        if (!existsSync(home)) run('python3', ['-m', 'venv', home]);
        run(join(home, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', ...PIP_PACKAGES]);
      },
    ],
  ];
  for (const [name, step] of steps) {
    try {
      step();
    } catch (error) {
      console.error(
        `${name}: not installed, and its servers are not tried (${(error as Error).message.split('\n')[0]})`,
      );
    }
  }
}

function run(command: string, args: readonly string[]): void {
  execFileSync(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
}

if (process.argv[1] === import.meta.filename) install();

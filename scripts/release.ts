import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import {
  FILES_WITH_VERSION,
  faultOfPrices,
  faultOfVersion,
  releaseChanges,
  renewVersion,
} from './release/renew-versions.ts';

const USAGE = `usage: npm run release -- VERSION
Updates every file that contains the version, and moves the unreleased changes in CHANGELOG.md under it.
Commits and tags nothing, but prints the commands to do so.`;

const ROOT = new URL('../', import.meta.url);

/** Prepares a release: every file that contains the version, and the changelog. */
function main([version]: readonly string[]): void {
  if (version === undefined || version === '--help') say(USAGE);
  else prepare(version);
}

function prepare(version: string): void {
  const { version: current } = JSON.parse(read('package.json')) as { version: string };
  const today = new Date().toISOString().slice(0, 10);
  const prices = JSON.parse(read('packages/core/src/prices/prices.json'));
  const fault = faultOfVersion(version, current) ?? faultOfPrices(prices, today);
  if (fault !== undefined) {
    process.stderr.write(`${fault}\n`);
    process.exitCode = 1;
    return;
  }

  const changelog = releaseChanges(read('CHANGELOG.md'), version, today);
  const renewed = FILES_WITH_VERSION.map((path) => {
    try {
      return [path, renewVersion(read(path), current, version)] as const;
    } catch (error) {
      throw new Error(`${path}: ${(error as Error).message}`);
    }
  });
  execFileSync(
    'npm',
    [
      'version',
      version,
      '--workspaces',
      '--include-workspace-root',
      '--no-git-tag-version',
      '--no-workspaces-update',
    ],
    { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  execFileSync('npm', ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const [path, text] of renewed) writeFileSync(new URL(path, ROOT), text);
  writeFileSync(new URL('CHANGELOG.md', ROOT), changelog);
  say(`Version ${version}. Read the differences, then:
  git commit --all --message "Release ${version}"
  git tag --annotate v${version} --message "Winnow ${version}"
  git push origin v${version}     # publishes it: docs/operations/releasing.md`);
}

function read(path: string): string {
  return readFileSync(new URL(path, ROOT), 'utf8');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

main(process.argv.slice(2));

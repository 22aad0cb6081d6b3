import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { notesOf } from './release/renew-versions.ts';

/**
 * Builds what a release publishes, without any credential: `npm run build:release -- FOLDER [--tag v1.2.3]`. The
 * folder then has the npm package as a tarball, its bill of materials, the chart, the notes, and the checksums of
 * all. Deletes the folder's previous content. Fails if the tag is not that of this version. Needs Helm.
 */

const ROOT = join(import.meta.dirname, '..');
const PACKAGE = 'winnow-tools';
/** The same in .github/workflows/release.yml. */
const IMAGES = 'ghcr.io/winnow-tools';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { tag: { type: 'string' } } });
const [folder] = positionals;
if (folder === undefined) throw new Error('usage: npm run build:release -- FOLDER [--tag v1.2.3]');
build(resolve(folder), values.tag);

function build(target: string, tag: string | undefined): void {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  if (tag !== undefined && tag !== `v${version}`) throw new Error(`the tag ${tag} is not v${version}`);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });

  const unpacked = join(target, PACKAGE);
  run(process.execPath, ['distribution/src/pack.ts', unpacked]);
  run('npm', ['pack', unpacked, '--pack-destination', target, '--silent']);
  writeFileSync(join(target, `${PACKAGE}-${version}.cdx.json`), billOf(unpacked));
  rmSync(unpacked, { recursive: true });

  packChart(target);
  if (tag !== undefined)
    writeFileSync(
      join(target, 'notes.md'),
      notesOf(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8'), version),
    );
  const sums = readdirSync(target).filter((name) => statSync(join(target, name)).isFile());
  writeFileSync(
    join(target, 'SHA256SUMS'),
    sums.map((name) => `${sumOf(join(target, name))}  ${name}\n`).join(''),
  );
}

/** Packs the chart with the address of the published images, which the chart of a clone does not have. */
function packChart(target: string): void {
  const chart = join(target, 'winnow');
  cpSync(join(ROOT, 'deploy/helm/winnow'), chart, { recursive: true });
  const values = readFileSync(join(chart, 'values.yaml'), 'utf8');
  const published = values.replace('  registry: ""\n', `  registry: ${IMAGES}\n`);
  if (published === values) throw new Error('values.yaml has no empty image.registry');
  writeFileSync(join(chart, 'values.yaml'), published);
  run('helm', ['package', chart, '--destination', target]);
  rmSync(chart, { recursive: true });
}

/** Returns the bill of materials of a package in the form of CycloneDX: all that an installation brings along. */
function billOf(unpacked: string): string {
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--omit=peer'];
  run('npm', ['install', '--package-lock-only', ...options], unpacked);
  const kind = ['--sbom-format=cyclonedx', '--sbom-type=application'];
  return execFileSync('npm', ['sbom', '--package-lock-only', '--omit=peer', ...kind], {
    cwd: unpacked,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
}

function sumOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

function run(command: string, args: readonly string[], cwd = ROOT): void {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}

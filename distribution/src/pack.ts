import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle, bundlePortable } from './bundle.ts';
import { emitTypes } from './emit-types.ts';
import { writeManifest } from './write-manifest.ts';

const ROOT = join(import.meta.dirname, '../..');

/**
 * Builds the npm package in a folder (default `built`): compiled code, types, examples and licence. Deletes
 * the folder's previous content.
 */
async function pack(folder: string): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const name = 'winnow-tools';
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  console.error('Bundling the services …');
  const imports = await bundle(ROOT, join(folder, 'dist'), { name, version });
  console.error('Bundling the portable entry …');
  await bundlePortable(ROOT, join(folder, 'dist'));
  console.error('Writing the types …');
  emitTypes(ROOT, join(folder, 'types'));
  for (const file of globSync('*', { cwd: join(ROOT, 'distribution/package') })) {
    cpSync(join(ROOT, 'distribution/package', file), join(folder, file), { recursive: true });
  }
  for (const file of ['LICENSE', 'CHANGELOG.md']) cpSync(join(ROOT, file), join(folder, file));
  writeFileSync(
    join(folder, 'package.json'),
    writeManifest({ name, version, imports, manifests: readManifests() }),
  );
}

function readManifests() {
  return globSync('{apps,packages}/*/package.json', { cwd: ROOT }).map((path) =>
    JSON.parse(readFileSync(join(ROOT, path), 'utf8')),
  );
}

const folder = process.argv[2] ?? join(ROOT, 'built');
await pack(folder);
console.log(`The package is in ${folder}. To create a tarball: npm pack ${folder}`);

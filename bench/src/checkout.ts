import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { InputError } from './input-error.ts';

/** A working copy of Winnow whose services are measured. */
export interface Checkout {
  /** The name of its processes in tables. */
  readonly name: 'winnow' | 'baseline';
  /** Its root; ends in a slash. */
  readonly directory: URL;
  /** Its commit, if Git knows it. */
  readonly version: string;
}

/** Returns the checkout that this bench belongs to. */
export function ownCheckout(): Checkout {
  return describe('winnow', new URL('../../', import.meta.url));
}

/**
 * Returns another checkout, such as a Git worktree of an older version. Throws an {@link InputError} if its
 * packages are not installed.
 */
export function baselineCheckout(directory: string): Checkout {
  const root = pathToFileURL(`${resolve(directory)}/`);
  for (const [part, remedy] of [
    ['apps/proxy/src/main.ts', 'is not a checkout of Winnow'],
    ['node_modules/undici', 'has no packages installed: run npm ci there'],
  ] as const) {
    if (!existsSync(new URL(part, root))) throw new InputError(`--baseline: ${directory} ${remedy}`);
  }
  return describe('baseline', root);
}

/** The options that `npm run start:proxy` passes to Node. */
export function proxyNodeOptions({ directory }: Checkout): string[] {
  const { scripts } = JSON.parse(readFileSync(new URL('package.json', directory), 'utf8')) as Manifest;
  return scripts['start:proxy'].split(' ').filter((part) => part.startsWith('--'));
}

/** The folders of formats that are part of another format. */
const FOLDERS: Readonly<Record<string, string>> = { 'anthropic-bedrock': 'anthropic-messages/bedrock' };

/** Whether a checkout has a wire format: an older one may not. */
export function speaks({ directory }: Checkout, format: string): boolean {
  return existsSync(new URL(`packages/wire/src/${FOLDERS[format] ?? format}`, directory));
}

interface Manifest {
  readonly scripts: { readonly 'start:proxy': string };
}

/** The commit of each checkout of a run, by the names in tables. */
export function versionsOf(own: Checkout, baseline: Checkout | undefined): Readonly<Record<string, string>> {
  return { [own.name]: own.version, ...(baseline && { [baseline.name]: baseline.version }) };
}

/** Describes the commits in a sentence. */
export function versionsLine(versions: Readonly<Record<string, string>>): string {
  return `Commits: ${Object.entries(versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ')}.`;
}

function describe(name: Checkout['name'], directory: URL): Checkout {
  const git = spawnSync('git', ['describe', '--always', '--dirty'], {
    cwd: fileURLToPath(directory),
    encoding: 'utf8',
  });
  return { name, directory, version: git.status === 0 ? git.stdout.trim() : 'unknown' };
}

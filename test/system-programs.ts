import { accessSync, constants, globSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that is not ours and that some tests start: a server, a browser. */
export interface SystemProgram {
  /** What tests that need it are tagged with. */
  readonly tag: string;
  /** Its names; any of them does. */
  readonly names: readonly string[];
  /** Where Debian puts it when that is not on the PATH: a glob of folders. */
  readonly folders?: string;
  /** The Debian package that has it. */
  readonly debianPackage: string;
  /** What is tested with it, for people. */
  readonly tests: string;
  /** What is found in code that needs it and nowhere else. */
  readonly sign: RegExp;
}

/** All of them. What a test needs beside these gets an entry here; `.ci/run` installs what the table names. */
export const SYSTEM_PROGRAMS = [
  {
    tag: 'redis',
    names: ['redis-server', 'valkey-server'],
    debianPackage: 'redis-server',
    tests: 'sessions in Redis, deployment, soak and chaos',
    sign: /\bstartRedis\b/,
  },
  {
    tag: 'chromium',
    names: ['chromium'],
    debianPackage: 'chromium',
    tests: 'the page of the report',
    sign: /\bpuppeteer-core\b/,
  },
  {
    tag: 'openssl',
    names: ['openssl'],
    debianPackage: 'openssl',
    tests: 'TLS',
    sign: /\bTestCertificates\b/,
  },
  {
    tag: 'postgres',
    names: ['initdb'],
    folders: '/usr/lib/postgresql/*/bin',
    debianPackage: 'postgresql',
    tests: 'the registry in Postgres',
    sign: /\bstartPostgres\b/,
  },
  {
    tag: 'python',
    names: ['python3'],
    debianPackage: 'python3',
    tests: 'the Python client',
    sign: /\bPYTHON\b/,
  },
] as const satisfies readonly SystemProgram[];

declare module 'vitest' {
  interface TestTags {
    tags: (typeof SYSTEM_PROGRAMS)[number]['tag'];
  }
}

/** Those that are not installed here: neither on the PATH nor in the folders of their own. */
export function missingPrograms(
  path = process.env.PATH ?? '',
  programs: readonly SystemProgram[] = SYSTEM_PROGRAMS,
): readonly SystemProgram[] {
  return programs.filter(({ names, folders }) => {
    const places = [path, ...(folders === undefined ? [] : globSync(folders))].join(delimiter);
    return !names.some((name) => isOnPath(name, places));
  });
}

function isOnPath(name: string, path: string): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

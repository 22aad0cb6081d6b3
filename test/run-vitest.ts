import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const VITEST = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')));

/** A project of a few files to run Vitest on. */
export interface VitestProject {
  /** Text of the files by name. They use `test` and `expect` without an import. */
  readonly files: Readonly<Record<string, string>>;
  /** The configuration under `test`. */
  readonly config: Readonly<Record<string, unknown>>;
  readonly environment?: Readonly<Record<string, string>>;
  /** Starts it as npm does: as the child of a process that waits for it, which `process` then is. */
  readonly isUnderNpm?: boolean;
}

/** A run of Vitest in a process of its own. */
export interface VitestRun {
  readonly process: ChildProcess;
  /** The folder of the files. */
  readonly folder: string;
  /** Its output so far, without colours. */
  readonly output: () => string;
  /** Resolves when it has printed something. */
  readonly says: (part: string) => Promise<void>;
  /** Sends a signal to it and to all others in its process group. */
  readonly signalGroup: (signal: NodeJS.Signals) => void;
  /**
   * Resolves with its exit code when it and all processes that write to its output have ended; null if a
   * signal ended it.
   */
  readonly ended: Promise<number | null>;
}

/** Starts Vitest on a project; both are removed when the test ends. */
export function runVitest({ files, config, environment = {}, isUnderNpm = false }: VitestProject): VitestRun {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-vitest-'));
  const settings = { globals: true, include: ['**/*.test.ts'], ...config };
  const all = { ...files, 'vitest.config.mjs': `export default { test: ${JSON.stringify(settings)} };` };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  const command = [process.execPath, VITEST, 'run'] as const;
  const [program, ...args] = isUnderNpm ? (['sh', '-c', '"$@" & wait', 'sh', ...command] as const) : command;
  const underNpm = isUnderNpm ? { npm_lifecycle_event: 'test' } : {};
  const child = spawn(program, args, {
    cwd: folder,
    env: { ...withoutRunAround(process.env), ...underNpm, NO_COLOR: '1', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A separate process group.
    detached: true,
  });
  const { output, says } = collectOutput(child);
  const signalGroup = (signal: NodeJS.Signals) => {
    try {
      process.kill(-child.pid!, signal);
    } catch {
      // All of them have ended.
    }
  };
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  onTestFinished(async () => {
    signalGroup('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true });
  });
  return { process: child, folder, output, says, signalGroup, ended };
}

function collectOutput({ stdout, stderr }: ChildProcess): Pick<VitestRun, 'output' | 'says'> {
  let output = '';
  const waiting = new Set<() => void>();
  for (const stream of [stdout!, stderr!]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      output += piece;
      for (const check of waiting) check();
    });
  }
  const says = (part: string) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (output.includes(part)) resolve();
      };
      waiting.add(check);
      check();
    });
  return { output: () => output, says };
}

/**
 * Removes the outer run's variables: the inner run must not take itself for its worker, nor take the
 * outer run's parent for its own.
 */
function withoutRunAround(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^(VITEST|npm_lifecycle_)/.test(name)),
  );
}

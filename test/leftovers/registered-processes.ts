import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A process that must not outlive its parent. */
export interface RegisteredProcess {
  readonly pid: number;
  readonly owner: number;
  /** A description for people. */
  readonly name: string;
  /** Time of the last registration, in milliseconds since 1970. */
  readonly since: number;
}

/** Follows a name; the rest of a longer name comes after it. No process argument contains it. */
const END = '\0';

/**
 * The processes of one test run, as files in a folder: the registering process may be killed at any moment,
 * and the reader must still find everything.
 */
export class RegisteredProcesses {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Registers a process, or renews its time and its name. */
  add({ pid, owner, name }: Omit<RegisteredProcess, 'since'>): void {
    const file = this.#file({ pid, owner });
    try {
      // Overwritten in place: ext4 flushes a file to disk if it is truncated and closed, which takes
      // milliseconds.
      writeFileSync(file, name + END, { flag: 'r+' });
    } catch {
      writeFileSync(file, name + END);
    }
  }

  remove(process: Pick<RegisteredProcess, 'pid' | 'owner'>): void {
    rmSync(this.#file(process), { force: true });
  }

  all(): RegisteredProcess[] {
    return readdirSync(this.#folder).flatMap((entry) => {
      const [pid, owner] = entry.split('-').map(Number) as [number, number];
      const file = join(this.#folder, entry);
      try {
        return [
          { pid, owner, name: readFileSync(file, 'utf8').split(END, 1)[0]!, since: statSync(file).mtimeMs },
        ];
      } catch {
        // Removed since the folder was read.
        return [];
      }
    });
  }

  #file({ pid, owner }: Pick<RegisteredProcess, 'pid' | 'owner'>): string {
    return join(this.#folder, `${pid}-${owner}`);
  }
}

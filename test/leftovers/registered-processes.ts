import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A process that must not outlive the one that it belongs to. */
export interface RegisteredProcess {
  readonly pid: number;
  readonly owner: number;
  /** What it is, for people. */
  readonly name: string;
  /** When it was registered last, in milliseconds since 1970. */
  readonly since: number;
}

/** Stands behind a name; what follows is left of a longer one. No argument of a process holds it. */
const END = '\0';

/**
 * The processes of one test run, as files in a folder of its own: files, because whoever registers may be killed at any moment, and the
 * reader must still find everything.
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
      // Over what stands there: ext4 writes a file to the disk that is emptied and closed again, which takes milliseconds.
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

import { readFile, rename, writeFile } from 'node:fs/promises';
import { agentText, Learned, takeBack } from '@winnow/learning';
import { parseJson, printable } from '@winnow/text';

/** The output of the command. */
interface Output {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
}

/** Takes back everything in a file of applied learning, and says what that was. Returns the exit code. */
export async function forget(path: string, { stdout, stderr }: Output): Promise<number> {
  try {
    const { data } = Learned.safeParse(parseJson(await readFile(path, 'utf8')));
    if (data === undefined) {
      stderr.write(`${path} is no file of applied learning.\n`);
      return 1;
    }
    const written = `${path}.${process.pid}.new`;
    await writeFile(written, `${JSON.stringify(takeBack(data), null, 2)}\n`, { mode: 0o600 });
    await rename(written, path);
    for (const agent of data.agents) {
      const words = Object.values(agent.words).flat().length;
      const names = agent.keep.map(({ name }) => printable(name)).join(', ') || 'no tools';
      stdout.write(`${printable(agentText(agent))}: ${names}; ${words} words\n`);
    }
    stdout.write('Taken back. New conversations follow within a minute.\n');
    return 0;
  } catch (error) {
    stderr.write(`${path} cannot be used: ${(error as Error).message}\n`);
    return 1;
  }
}

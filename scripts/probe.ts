import { createInterface } from 'node:readline/promises';
import { probeCommand } from './probe/probe-command.ts';

process.exitCode = await probeCommand(process.argv.slice(2), {
  environment: process.env,
  say: (line) => process.stdout.write(`${line}\n`),
  complain: (line) => process.stderr.write(`${line}\n`),
  ask: process.stdin.isTTY ? ask : undefined,
});

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(question);
  terminal.close();
  return answer;
}

import type { RunningProcess } from '../start-process.ts';
import type { RegistryClient } from './registry-client.ts';
import type { Stall } from './run.ts';

/** A registration that takes long to read or to index. */
interface LongRegistration {
  readonly title: string;
  /** Further members of the body, which the registry ignores. */
  readonly more?: object;
  /** Returns other tools for each number: equal ones are not indexed again. */
  readonly tools: (number: number) => readonly object[];
}

const oneTool = (number: number) => [toolOf(`one_${number}`, 'Does one thing.')];

/** Bodies just below the limits of the registry. */
const REGISTRATIONS: readonly LongRegistration[] = [
  { title: 'a text of 15 MB', more: { x: 'a '.repeat(7_500_000) }, tools: oneTool },
  { title: '240,000 members', more: { x: membersOf(240_000, 1) }, tools: oneTool },
  { title: '1,000 tools of 15 KB', tools: (number) => toolsOf(1_000, number, 'a '.repeat(7_500)) },
  {
    title: '200 tools with 290 parameters',
    tools: (number) => toolsOf(200, number, 'Does things.', membersOf(290, { type: 'string' })),
  },
];

/** Sends every registration some times, and reads the longest delay of the event loop after each. */
export async function measureStalls(
  { client, ask }: Pick<RunningProcess, 'ask'> & { readonly client: RegistryClient },
  times: number,
): Promise<Stall[]> {
  const stalls: Stall[] = [];
  for (const { title, more, tools } of REGISTRATIONS) {
    const delays: number[] = [];
    for (let number = 0; number < times; number++) {
      await ask('delay');
      await client.register(tools(number), more);
      delays.push(await ask<number>('delay'));
    }
    stalls.push({ title, longestMs: Math.max(...delays) });
  }
  return stalls;
}

function toolsOf(count: number, number: number, description: string, properties: object = {}): object[] {
  return Array.from({ length: count }, (_, at) => toolOf(`tool_${number}_${at}`, description, properties));
}

function toolOf(name: string, description: string, properties: object = {}): object {
  const inputSchema = { type: 'object', properties };
  return { tool: { name, description, inputSchema }, backend: { kind: 'local', handler: 'none' } };
}

function membersOf(count: number, value: unknown): object {
  return Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, value]));
}

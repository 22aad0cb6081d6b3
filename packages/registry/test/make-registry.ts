import {
  createRegistry,
  type Outcome,
  type Registration,
  type Registry,
  type RegistryOptions,
} from '../src/index.ts';

/** A registry for a test, with a clock that stands still and ids that count. */
export async function makeRegistry(options: Partial<RegistryOptions> = {}): Promise<Registry> {
  return createRegistry({
    clock: { now: () => 0, wallClock: () => NOW },
    randomId: countingIds(),
    ...options,
  });
}

/** The moment at which test clocks stand: 21 November 2026, noon in UTC. */
export const NOW = Date.UTC(2026, 10, 21, 12);

/** Texts of 64 hexadecimal digits, each another. */
export function countingIds(): () => string {
  let count = 0;
  return () => (++count).toString(16).padStart(8, '0').repeat(8);
}

/** A registration of a local tool; what is given replaces what stands here. */
export function registration(
  name: string,
  { tool, ...rest }: Partial<Omit<Registration, 'tool'>> & { tool?: Record<string, unknown> } = {},
): Registration {
  return {
    tool: { name, description: `Handles ${name}.`, inputSchema: { type: 'object' }, ...tool },
    backend: { kind: 'local', handler: name },
    ...rest,
  };
}

/** The value of an outcome; fails the test when it is a refusal. */
export function expectOk<Value>(outcome: Outcome<Value>): { readonly ok: true } & Value {
  if (!outcome.ok) throw new Error(`refused: ${JSON.stringify(outcome.problems)}`);
  return outcome;
}

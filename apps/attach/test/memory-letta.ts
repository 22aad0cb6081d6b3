import { Readable } from 'node:stream';
import { answerLetta, type LettaRoute, LettaState, lettaRouteOf } from '@winnow/testkit';
import { createLetta, type Letta } from '../src/letta/letta-client.ts';

/** A call of the fake, before it is answered. */
export interface MemoryCall {
  /** From 0. */
  readonly number: number;
  readonly route: LettaRoute;
  readonly path: string;
}

/** A fault of a call: a status, a broken connection before or after the effect, silence, an answer that is not JSON, or a good answer without an effect. */
export type MemoryFault = number | 'reset' | 'late_reset' | 'silence' | 'nonsense' | 'lost';

/** A strict Letta without a socket: the client as it is, and the testkit's server behind it. */
export interface MemoryLetta {
  readonly letta: Letta;
  readonly state: LettaState;
  readonly calls: MemoryCall[];
  faults: (call: MemoryCall) => MemoryFault | undefined;
  /** Names of what is attached to an agent, sorted. */
  namesOf(agentId: string): string[];
}

/** The time is over at once, but only for calls that are not answered. */
export function createMemoryLetta(): MemoryLetta {
  const state = new LettaState();
  const calls: MemoryCall[] = [];
  const deadlines: AbortController[] = [];
  const request = async (options: { path: string; method: string; headers: object; body?: string }) => {
    const url = new URL(options.path, 'http://letta');
    const target = { method: options.method, path: url.pathname };
    const call = { number: calls.length, route: lettaRouteOf(target), path: url.pathname };
    calls.push(call);
    const fault = memory.faults(call);
    const answer = () =>
      answerLetta(state, {
        ...target,
        query: url.searchParams,
        headers: options.headers as Record<string, string>,
        body: options.body === undefined ? undefined : JSON.parse(options.body),
      });
    // As over a network, other calls have their turn.
    await Promise.resolve();
    if (fault === 'reset') throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    if (fault === 'late_reset') {
      answer();
      throw Object.assign(new Error('reset'), { code: 'ECONNRESET' });
    }
    if (fault === 'silence') {
      for (const deadline of deadlines) deadline.abort();
      throw Object.assign(new Error('aborted'), { code: 'ABORT_ERR' });
    }
    const response =
      fault === 'nonsense'
        ? { status: 200, text: '{"id": 5, "to' }
        : typeof fault === 'number'
          ? { status: fault, text: '{"detail":"scripted"}' }
          : fault === 'lost'
            ? { status: 200, text: 'null' }
            : toText(answer());
    return { statusCode: response.status, body: Readable.from([Buffer.from(response.text)]) };
  };
  const letta = createLetta({
    url: 'http://letta',
    password: '',
    timeoutMs: 2_000,
    // biome-ignore lint/suspicious/noExplicitAny: a stand-in for the one method that is used
    pool: { request } as any,
    deadline: () => {
      const controller = new AbortController();
      deadlines.push(controller);
      if (deadlines.length > 16) deadlines.shift();
      return controller.signal;
    },
    wait: async () => {},
    random: () => 0.5,
    onCall: () => {},
  });
  const memory: MemoryLetta = {
    letta,
    state,
    calls,
    faults: () => undefined,
    namesOf: (agentId) =>
      state
        .toolsOf(state.agents.get(agentId)!)
        .map(({ name }) => name)
        .sort(),
  };
  return memory;
}

function toText({ status, body }: { readonly status: number; readonly body: unknown }) {
  return { status, text: JSON.stringify(body) };
}

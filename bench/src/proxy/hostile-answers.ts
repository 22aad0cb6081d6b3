/** A kind of response that might block the event loop of a proxy that reads it. */
export interface HostileAnswer {
  readonly title: string;
  readonly isStream: boolean;
  readonly write: () => string;
}

/** Chat Completions that are within or just above the limits for reading a response. */
export const HOSTILE_ANSWERS = {
  'hostile-newlines': { title: '5 MB of newlines', isStream: true, write: () => '\n'.repeat(5_000_000) },
  'hostile-events': {
    title: '100,000 events without meaning',
    isStream: true,
    write: () => 'data: 1\n\n'.repeat(100_000),
  },
  'hostile-event': { title: 'an event of 23 MB', isStream: true, write: () => longEvent(23_000_000) },
  'hostile-long-event': { title: 'an event of 60 MB', isStream: true, write: () => longEvent(60_000_000) },
  'hostile-members': {
    title: '240,000 members',
    isStream: false,
    write: () => `{"x":{${Array.from({ length: 240_000 }, (_, at) => `"k${at}":1`).join(',')}}}`,
  },
  'hostile-searches': { title: '16,000 searches', isStream: false, write: () => searches(16_000) },
} as const satisfies Readonly<Record<string, HostileAnswer>>;

/** The values of the header that asks for one of them. */
export type HostileKind = keyof typeof HOSTILE_ANSWERS;

function longEvent(chars: number): string {
  const choices = [{ index: 0, delta: { role: 'assistant', content: 'a '.repeat(chars / 2) } }];
  return `data: ${JSON.stringify({ id: 'c', choices })}\n\ndata: [DONE]\n\n`;
}

function searches(count: number): string {
  const calls = Array.from({ length: count }, (_, at) => ({
    id: `call_${at}`,
    type: 'function',
    function: { name: 'gateway_search_tools', arguments: JSON.stringify({ query: `thing ${at}` }) },
  }));
  const message = { role: 'assistant', content: null, tool_calls: calls };
  return JSON.stringify({ id: 'c', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] });
}

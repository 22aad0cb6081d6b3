import { type JsonObject, parseJson } from '@winnow/core';
import type { CallEvent, CallEvents } from '../../src/bridge/call-events.ts';
import type { BridgeDialect } from '../../src/bridge/call-writer.ts';
import type { BridgePlan, RequestView } from '../../src/format/view.ts';
import type { WireEvent } from '../../src/framing/framing.ts';

/** The smallest format with calls, for tests of the bridge itself: an event is a list of parts, or a text. */
interface PlainPart {
  readonly call: number;
  readonly name?: string;
  readonly text?: string;
  readonly isEnd?: boolean;
}

export const plainDialect: BridgeDialect = {
  readCalls: (): CallEvents => ({
    partsOf: (event) => partsIn(event).map(({ text, ...part }) => ({ ...part, arguments: text })),
    endsCalls: (event) => dataOf(event) === '"end"',
    rewrite: (event, changes) => {
      const parts = partsIn(event).flatMap((part, at) => {
        const change = changes[at];
        if (change === 'drop') return [];
        const { name = part.name, arguments: text = part.text } = change ?? {};
        return [{ ...part, ...(name === null ? { name: undefined } : { name }), text }];
      });
      return parts.length === 0 ? undefined : { ...event, data: JSON.stringify(parts) };
    },
  }),
  parametersOf: (definition) => (definition as JsonObject).parameters,
  writeElement: (text) => text,
};

function dataOf(event: CallEvent): string {
  return event.kind === 'event' ? event.data : event.text;
}

function partsIn(event: CallEvent): readonly PlainPart[] {
  const parsed = parseJson(dataOf(event));
  return Array.isArray(parsed) ? (parsed as PlainPart[]) : [];
}

/** An event with parts of calls. */
export function calls(...parts: readonly PlainPart[]): WireEvent {
  return { kind: 'event', data: JSON.stringify(parts) };
}

/** An event without calls. */
export function said(text: string): WireEvent {
  return { kind: 'event', data: JSON.stringify(text) };
}

const PARAMETERS = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['city'],
};

/** A request with the tools `weather_get` and `mail_send`, which are deferred, and `file_read`, which is kept. */
export const view = {
  toolSection: {
    entries: ['weather_get', 'mail_send', 'file_read'].map((name) => ({
      name,
      description: `Does ${name}.`,
      kind: 'function',
      definition: { parameters: PARAMETERS },
    })),
  },
} as unknown as RequestView;

export const plan: BridgePlan = {
  loadMode: 'bridge',
  defer: ['weather_get', 'mail_send'],
  load: [],
  searchTool: { name: 'gateway_search_tools', description: 'Finds tools.' },
  bridgeTool: { name: 'gateway_call_tool', description: 'Calls tools.' },
  bridged: ['weather_get', 'mail_send'],
  reason: 'deferred',
};

/** Returns the content of events as a client reads it: calls by number, and texts in between. */
export function readEvents(events: readonly WireEvent[]) {
  const read: (string | { name: string; text: string })[] = [];
  const byNumber = new Map<number, { name: string; text: string }>();
  for (const event of events) {
    if (event.kind === 'comment') continue;
    const parsed = parseJson(dataOf(event));
    if (typeof parsed === 'string') read.push(parsed);
    for (const { call, name = '', text = '' } of partsIn(event)) {
      const known = byNumber.get(call) ?? { name: '', text: '' };
      if (!byNumber.has(call)) read.push(known);
      byNumber.set(call, known);
      known.name += name;
      known.text += text;
    }
  }
  return read;
}

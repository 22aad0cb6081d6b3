import { answer, callTool, type Model, say, think } from '@winnow/testkit';
import { WANTED } from './marked-request.ts';
import { secret } from './marked-secrets.ts';

/** The upstream's cases; the header `x-case` of a request selects one. */
export const CASES = [
  'good',
  'search-and-call',
  'rejects-edit',
  'error',
  'error-later',
  'garbage',
  'garbage-later',
  'hang-up',
] as const;
export type Case = (typeof CASES)[number];

/** The header by which a test selects a case. */
export const CASE_HEADER = 'x-case';

const HEADERS = {
  'x-upstream-header': secret('upstream header'),
  'set-cookie': `id=${secret('upstream cookie')}`,
  'request-id': secret('upstream request id'),
};

/** A model that searches if it can, and says a secret with every word. */
export const talkativeModel: Model = (conversation, request) => {
  const kind = request.headers[CASE_HEADER] as Case;
  const isEdited = request.text.includes('"gateway_search_tools"');
  const hasSearched = conversation.turns.some(
    (turn) => turn.role === 'assistant' && turn.calls.some(({ name }) => name === 'gateway_search_tools'),
  );
  const isLater = kind.endsWith('-later');
  if (isEdited && !hasSearched && (isLater || kind === 'good')) return search();
  switch (kind) {
    case 'good':
      return talk();
    case 'search-and-call':
      return isEdited ? answer([...talk().parts, ...search().parts], { headers: HEADERS }) : talk();
    case 'rejects-edit':
      return isEdited ? fails(400) : talk();
    case 'error':
    case 'error-later':
      return fails(500);
    case 'garbage':
    case 'garbage-later':
      return { kind: 'bytes', body: garbage(request.text.includes('"stream":true')), headers: GARBAGE };
    case 'hang-up':
      return { kind: 'hang-up' };
    default: {
      const missing: never = kind;
      return missing;
    }
  }
};

const search = () =>
  answer([callTool('gateway_search_tools', { query: `dig a well ${secret('search query')}` })], {
    headers: HEADERS,
  });

const talk = () =>
  answer(
    [
      think(secret('thinking')),
      say(secret('answer')),
      callTool(WANTED, { text: secret('arguments') }, { id: `call_${secret('call id')}` }),
    ],
    { id: secret('message id'), headers: HEADERS },
  );

const fails = (status: number) =>
  ({ kind: 'error', status, message: secret('upstream error'), headers: HEADERS }) as const;

const GARBAGE = { ...HEADERS, 'content-type': 'application/json' };

/** Malformed at a place where a parser stops and quotes its input. */
function garbage(isStream: boolean): string {
  const broken = `{"id": ${secret('broken answer')}\n    at ${secret('broken answer')}`;
  return isStream ? `data: ${broken}\n\n` : broken;
}

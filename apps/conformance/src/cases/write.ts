import type { AnswerPart, ErrorAnswer, MessageAnswer, OutgoingAnswer } from '@winnow/testkit';
import type { CaseContext } from '../conformance-case.ts';
import type { Ask, HeaderList } from '../formats/client-format.ts';
import type { Step, WireAnswer, WireRequest } from '../wire/exchange.ts';

/** A request that a test asks of {@link request}: the parts that differ from the usual one. */
export interface RequestParts extends Partial<Ask> {
  readonly headers?: HeaderList;
  /** The body's text, made from the usual one. */
  readonly edit?: (body: string) => string;
}

const USER = 'Say a few words.';

/** Returns the first request of a conversation. */
export function request(
  { format, model, marker, headers: own, tools }: CaseContext,
  { headers = [], edit, ...ask }: RequestParts = {},
): WireRequest {
  const { isStream = false } = ask;
  const body = JSON.stringify(
    format.open({ ...(tools && { tools }), ...ask, user: `${ask.user ?? USER} (${marker})` }, model),
  );
  return post(format.path(model, isStream), [...own, ...headers], edit?.(body) ?? body);
}

/** Returns a request with this body. */
export function post(path: string, headers: HeaderList, body: string | Uint8Array): WireRequest {
  const type = ['content-type', 'application/json'] as const;
  return { method: 'POST', path, headers: [type, ...headers], body: [Buffer.from(body)] };
}

/** Returns what the provider answers to a request, with the bytes of each event as a step. */
export function respond(
  { provider }: CaseContext,
  to: WireRequest,
  parts: readonly AnswerPart[],
  more: Omit<MessageAnswer, 'kind' | 'parts'> = {},
): WireAnswer {
  return toWire(provider.write(questionOf(to), { kind: 'message', parts, ...more }));
}

/** Returns the provider's error for a request. */
export function fail(
  { provider }: CaseContext,
  to: WireRequest,
  { status, message = `Refused with ${status}.`, errorType, headers = {} }: Omit<ErrorAnswer, 'kind'>,
): WireAnswer {
  const answer = toWire(
    provider.refuse(questionOf(to), { status, message, ...(errorType && { errorType }) }),
  );
  return { ...answer, headers: [...answer.headers, ...Object.entries(headers)] };
}

/** Returns a response with these bytes. */
export function bytes(
  body: string | Uint8Array | readonly Step[],
  { status = 200, headers = [['content-type', 'application/json']] }: Partial<WireAnswer> = {},
): WireAnswer {
  const isSteps = typeof body !== 'string' && !(body instanceof Uint8Array);
  return { status, headers, steps: isSteps ? body : [{ type: 'bytes', bytes: Buffer.from(body) }] };
}

/** Returns the same response with other steps. */
export function withSteps(answer: WireAnswer, change: (steps: Step[]) => Iterable<Step>): WireAnswer {
  return { ...answer, steps: [...change([...answer.steps])] };
}

/** Waits after each event until the client has seen it. */
export function eachSeen(steps: Step[]): Step[] {
  return steps.flatMap((step) => (step.type === 'bytes' ? [step, seenOf(step.bytes)] : [step]));
}

/** Returns the body of a response as one run of bytes. */
export function bodyOf({ steps }: WireAnswer): Buffer {
  return Buffer.concat([...steps].flatMap((step) => (step.type === 'bytes' ? [step.bytes] : [])));
}

/** Cuts a body at these positions, with a pause at each. */
export function cutAt(answer: WireAnswer, positions: readonly number[]): WireAnswer {
  const body = bodyOf(answer);
  const ends = [...new Set(positions)].filter((at) => at > 0 && at < body.length).sort((a, b) => a - b);
  const starts = [0, ...ends];
  const pieces = starts.map((from, at) => body.subarray(from, starts[at + 1] ?? body.length));
  return {
    ...answer,
    steps: pieces.flatMap((piece): Step[] => [
      { type: 'bytes', bytes: piece },
      { type: 'silence', ms: 0 },
    ]),
  };
}

/** Replaces a header of a response, or adds it. */
export function withHeader(answer: WireAnswer, name: string, value: string): WireAnswer {
  const others = answer.headers.filter(([other]) => other !== name);
  return { ...answer, headers: [...others, [name, value]] };
}

/** A word of a text that the client must have seen, by which gateways that write events anew are judged. */
function seenOf(piece: Uint8Array): Step {
  const text = /word-\d+/.exec(Buffer.from(piece).toString('latin1'))?.[0];
  return text === undefined ? { type: 'seen' } : { type: 'seen', text };
}

function questionOf({ path, body }: WireRequest) {
  return { path, text: Buffer.concat(body).toString('utf8') };
}

/** Returns a response of the provider as steps. */
export function toWire({ status, headers, body }: OutgoingAnswer): WireAnswer {
  const steps = [...body].flatMap((item): Step[] => {
    if (item instanceof Uint8Array) return [{ type: 'bytes', bytes: item }];
    return item.type === 'destroy' ? [{ type: 'break' }] : [];
  });
  const isWhole = !/stream|ndjson/.test(headers['content-type'] ?? '');
  const length = String(bodyOf({ status, headers: [], steps }).length);
  const list: HeaderList = isWhole ? [['content-length', length]] : [];
  return { status, headers: [...Object.entries(headers), ...list], steps };
}

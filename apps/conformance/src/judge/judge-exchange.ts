import type { ClientFormat, Framing, HeaderList } from '../formats/client-format.ts';
import type { Exchange, ReceivedRequest, Seen, WireAnswer } from '../wire/exchange.ts';
import { compareHeaders } from './compare-headers.ts';
import { decodeStream } from './decode-stream.ts';
import { decompress } from './decompress.ts';
import { firstDifference } from './first-difference.ts';
import { meaningOf } from './meaning.ts';

/** A property of an exchange that is judged. */
export type Aspect =
  /** The provider gets one complete request with this method and path. */
  | 'one-request'
  | 'request-headers'
  /** The provider gets no cookie that the client did not send. */
  | 'no-foreign-cookies'
  /** The provider is not addressed by the name of the gateway. */
  | 'own-host'
  | 'request-bytes'
  | 'request-meaning'
  /** The same, unless the gateway claims to hold tools back. */
  | 'request-meaning-with-tools'
  /** Two requests that are alike are two, and each client gets the response to one. */
  | 'both-answered'
  | 'status'
  | 'response-headers'
  /** The headers by which clients decide whether and when to ask again. */
  | 'retry-headers'
  | 'response-bytes'
  /** For bodies that are too large to be compared in words. */
  | 'response-length'
  | 'response-meaning'
  /** The body ends as the provider's did: complete, or broken off. */
  | 'end'
  /** Everything reaches the client before the provider goes on. */
  | 'timing'
  /** Nothing waits for a time that has nothing to do with the provider. */
  | 'soon'
  /** An abandoned request ends at the provider, too. */
  | 'cancellation'
  /** The provider has to wait while the client does not read. */
  | 'back-pressure'
  /** An interrupted upload never looks complete to the provider. */
  | 'no-whole-request';

/** Facts about the run that every judgement needs. */
export interface JudgeContext {
  readonly format: ClientFormat;
  /** Names of request headers that are meant for the gateway, or that it replaces. */
  readonly ownHeaders: readonly string[];
  /** Whether the gateway has a key of its own, which may stand in the path of Google's API. */
  readonly hasKey: boolean;
  /** Whether the gateway holds tools back. */
  readonly holdsBack: boolean;
  /** The name and the port of the gateway. */
  readonly host: string;
}

/** Most bytes that a gateway and the operating system may take in advance for a client that does not read. */
const MOST_BYTES_AHEAD = 32 * 1024 * 1024;

/** Longest delay of every event, however many there are, in milliseconds: far above that of a busy machine. */
const MOST_DELAY_MS = 100;

/** Finds what was not as promised; each finding is the end of a sentence. Empty if all is well. */
export function judgeExchange(
  exchange: Exchange,
  seen: Seen,
  aspects: readonly Aspect[],
  context: JudgeContext,
): string[] {
  return aspects.flatMap((aspect) => [...JUDGES[aspect]({ exchange, seen, context })]);
}

interface Matter {
  readonly exchange: Exchange;
  readonly seen: Seen;
  readonly context: JudgeContext;
}

const RETRY_HEADERS =
  /^(?:retry-after(?:-ms)?|www-authenticate|x-should-retry|x-ratelimit-.*|anthropic-ratelimit-.*|request-id|x-request-id|x-amzn-requestid|x-amzn-errortype)$/;

const JUDGES: Readonly<Record<Aspect, (matter: Matter) => Iterable<string>>> = {
  *'one-request'({ exchange: { request }, seen: { received }, context: { hasKey } }) {
    const whole = received.filter(({ isComplete }) => isComplete);
    const [first] = whole;
    if (first === undefined) yield 'the provider received no request';
    else if (whole.length > 1) yield `the provider received the request ${whole.length} times`;
    if (first === undefined) return;
    if (first.method !== request.method) yield `the method became ${first.method}`;
    const [path, wanted] = [first.path, request.path].map((one) => (hasKey ? withoutKey(one) : one));
    if (path !== wanted) yield `the path became ${path} instead of ${request.path}`;
  },
  *'request-headers'({ exchange: { request }, seen, context }) {
    const [first] = seen.received;
    if (first === undefined) return;
    for (const fault of compareHeaders(request.headers, first.headers, context.ownHeaders))
      yield `at the provider, ${fault}`;
    yield* lengthFaults(first);
  },
  *'no-foreign-cookies'({ exchange: { request }, seen: { received } }) {
    for (const { headers } of received) {
      const cookie = headerOf(headers, 'cookie');
      if (cookie !== undefined && cookie !== headerOf(request.headers, 'cookie'))
        yield `the provider received the cookie ${JSON.stringify(cookie)}, which the client did not send`;
    }
  },
  *'own-host'({ seen: { received }, context: { host } }) {
    const found = received[0] && headerOf(received[0].headers, 'host');
    if (found === host) yield `the provider received the name of the gateway, ${host}, as its own`;
  },
  *'request-bytes'({ exchange: { request }, seen: { received } }) {
    const [first] = received;
    if (first !== undefined)
      yield* bytesFault('the body of the request changed', Buffer.concat(request.body), first.body);
  },
  *'request-meaning'({ exchange: { request }, seen: { received } }) {
    const [first] = received;
    if (first === undefined) return;
    const expected = meaningOf(Buffer.concat(request.body).toString('utf8'));
    yield* textFault('the request means something else', expected, meaningOf(first.body.toString('utf8')));
  },
  *'request-meaning-with-tools'(matter) {
    if (matter.context.holdsBack) return;
    for (const fault of JUDGES['request-meaning'](matter))
      yield `${fault} (if the gateway holds tools back on purpose: --claims deferral)`;
  },
  *'both-answered'({ seen: { received, client, twin } }) {
    const whole = received.filter(({ isComplete }) => isComplete);
    if (whole.length !== 2)
      yield `the provider received ${whole.length} requests where two clients sent one each`;
    else if (twin?.end !== 'complete' || client.body.equals(twin.body))
      yield 'two clients did not get a response each';
  },
  *status({ seen: { answer, client } }) {
    if (client.end === 'no-response') yield 'the client got no response';
    else if (client.status === 0) yield 'the client got no response in time';
    else if (answer !== undefined && client.status !== answer.status)
      yield `the client got status ${client.status} instead of ${answer.status}: ${client.body.toString('utf8').replaceAll(/\s+/g, ' ').slice(0, 200)}`;
  },
  *'response-headers'({ seen: { answer, client } }) {
    if (answer === undefined || client.status === 0) return;
    for (const fault of compareHeaders(answer.headers, client.headers)) yield `at the client, ${fault}`;
    const length = headerOf(client.headers, 'content-length');
    if (length !== undefined && client.end === 'complete' && Number(length) !== client.body.length)
      yield `the client got a content-length of ${length} for ${client.body.length} bytes`;
  },
  *'retry-headers'({ seen: { answer, client } }) {
    if (answer === undefined || client.status === 0) return;
    const wanted = answer.headers.filter(([name]) => RETRY_HEADERS.test(name));
    for (const fault of compareHeaders(wanted, client.headers)) {
      if (!fault.endsWith('was added')) yield `at the client, ${fault}`;
    }
  },
  *'response-bytes'({ seen: { answer, client } }) {
    if (answer !== undefined)
      yield* bytesFault('the body of the response changed', bodyOf(answer), client.body);
  },
  *'response-length'({ seen: { answer, client } }) {
    if (answer === undefined) return;
    const { length } = bodyOf(answer);
    if (client.body.length !== length) yield `the client got ${client.body.length} bytes of ${length}`;
  },
  *'response-meaning'({ seen: { answer, client }, context }) {
    if (answer === undefined) return;
    const framing = framingOf(answer, context.format.framing);
    const expected = meaningOfBody(bodyOf(answer), headerOf(answer.headers, 'content-encoding'), framing);
    const found = meaningOfBody(client.body, headerOf(client.headers, 'content-encoding'), framing);
    yield* textFault('the response means something else', expected, found);
  },
  *end({ seen: { answer, client }, context }) {
    if (answer === undefined) return;
    const isBroken = answer.isRefusing || [...finite(answer)].some(({ type }) => type === 'break');
    if (client.end === 'timeout') yield 'the response did not end in time';
    else if (!isBroken && client.end !== 'complete') yield `the response was ${WORDS[client.end]}`;
    else if (isBroken && client.end === 'complete') {
      const isTold = tellsOfFailure(client.body, client.status, framingOf(answer, context.format.framing));
      if (!isTold) yield 'the provider broke off, and the client got an end as if all were well';
    }
  },
  timing: ({ seen }) => seen.delays,
  *soon({ seen: { leastDelayMs = 0 } }) {
    if (leastDelayMs > MOST_DELAY_MS)
      yield `every event reached the client ${Math.round(leastDelayMs)} ms late, or more`;
  },
  *cancellation({ seen }) {
    if (seen.received.length === 0) yield 'the provider received no request';
    else if (!seen.isCancelled) yield 'the provider went on after the client had left';
  },
  *'back-pressure'({ seen: { bytesAhead } }) {
    if (bytesAhead > MOST_BYTES_AHEAD)
      yield `the provider could send ${bytesAhead} bytes although the client read none`;
  },
  *'no-whole-request'({ seen: { received } }) {
    if (received.some(({ isComplete }) => isComplete))
      yield 'the provider received a complete request although the client sent half of one';
  },
};

const WORDS = {
  complete: 'complete',
  broken: 'broken off',
  left: 'abandoned',
  timeout: 'not finished in time',
  'no-response': 'missing',
};

/** Whether the client is told of a failure in another way: by a status, or by an error inside the stream. */
function tellsOfFailure(body: Buffer, status: number, framing: Framing | undefined): boolean {
  if (status >= 400) return true;
  if (framing === undefined) return false;
  return decodeStream(body, framing).some(
    ({ name, data }) => /error|exception/i.test(name) || /"error"/.test(data),
  );
}

/** Returns the framing of a stream; undefined for a whole body. */
function framingOf({ headers }: WireAnswer, framing: Framing): Framing | undefined {
  const type = headerOf(headers, 'content-type') ?? '';
  return /event-stream|eventstream|ndjson/.test(type) ? framing : undefined;
}

function meaningOfBody(body: Buffer, encoding: string | undefined, framing: Framing | undefined): string {
  const plain = decompress(body, encoding);
  if (framing === undefined) return meaningOf(plain.toString('utf8'));
  return decodeStream(plain, framing)
    .map(({ name, data }) => `${name}: ${meaningOf(data)}`)
    .join('\n');
}

/** Returns the whole body that the provider sends. */
function bodyOf(answer: WireAnswer): Buffer {
  return Buffer.concat([...finite(answer)].flatMap((step) => (step.type === 'bytes' ? [step.bytes] : [])));
}

function finite({ steps, isSilent, isRefusing }: WireAnswer): WireAnswer['steps'] {
  return isSilent || isRefusing ? [] : steps;
}

function headerOf(headers: HeaderList, wanted: string): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
}

function* lengthFaults({ headers, body }: ReceivedRequest): Generator<string> {
  const length = headerOf(headers, 'content-length');
  if (length !== undefined && Number(length) !== body.length)
    yield `at the provider, the content-length is ${length} for ${body.length} bytes`;
  if (length !== undefined && headerOf(headers, 'transfer-encoding') !== undefined)
    yield 'at the provider, the request has both a content-length and a transfer-encoding';
}

function* bytesFault(what: string, expected: Buffer, found: Buffer): Generator<string> {
  if (!expected.equals(found))
    yield `${what}, ${firstDifference(expected.toString('latin1'), found.toString('latin1'))}`;
}

function* textFault(what: string, expected: string, found: string): Generator<string> {
  if (expected !== found) yield `${what}, ${firstDifference(expected, found)}`;
}

/** Removes Google's query parameter for keys: https://cloud.google.com/docs/authentication/api-keys-use */
export function withoutKey(path: string): string {
  const [base = '', query] = path.split('?', 2);
  if (query === undefined) return path;
  const kept = query.split('&').filter((part) => !part.startsWith('key='));
  return kept.length === 0 ? base : `${base}?${kept.join('&')}`;
}

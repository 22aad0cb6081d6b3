import { type JsonObject, renderPrompt, routeOf, type Usage } from '@winnow/testkit';
import type { Conversation, ConversationCheck } from '../conformance-case.ts';
import type { FormatName, Framing, HeaderList } from '../formats/client-format.ts';
import type { WireRequest } from '../wire/exchange.ts';
import { compareHeaders } from './compare-headers.ts';
import { decodeStream } from './decode-stream.ts';
import { firstDifference } from './first-difference.ts';
import { meaningOf } from './meaning.ts';

/** One conversation as both ends saw it. */
export interface Transcript {
  /** The client's view of each response. */
  readonly visible: readonly unknown[];
  /** Everything that the client received. */
  readonly bytes: Buffer;
  /** The same, response by response. */
  readonly bodies: readonly Buffer[];
  /** The client's requests. */
  readonly requests: readonly WireRequest[];
  /** The bodies and the headers that the provider received. */
  readonly received: readonly JsonObject[];
  readonly receivedHeaders: readonly HeaderList[];
  readonly usages: readonly Usage[];
  /** The same, by the client's request. */
  readonly usagesOf: readonly (readonly Usage[])[];
  /** The bodies of the provider's refusals. */
  readonly refusals: readonly string[];
  /** The request that the client left, and the number of requests at the provider until then. */
  readonly left: { readonly isCancelled: boolean; readonly before: number } | undefined;
  /** Whether a response ended before it was complete. */
  readonly isBroken: boolean;
}

/** The words of a provider that fails. */
export const FAILURE = 'tools.0: this member is not permitted';

/** Finds the first response that looks different to the client, or what is wrong with the end of a failure. */
export function* compareEnds(
  direct: Transcript,
  through: Transcript,
  { endsIn, framing, status }: Ends,
): Generator<string> {
  if (endsIn === 'error') return yield* lacksError(through, framing, FAILURE);
  if (endsIn === 'break') {
    if (!through.isBroken) yield* lacksError(through, framing, '');
    return;
  }
  if (endsIn === 'status') {
    const found = (through.visible[0] as { status?: number }).status ?? 200;
    if (found !== status) yield `the client got status ${found} instead of ${status}`;
    return;
  }
  for (const [number, expected] of direct.visible.entries()) {
    const found = through.visible[number];
    const [left, right] = [expected, found].map((value) => meaningOf(JSON.stringify(value) ?? 'nothing'));
    if (left !== right) {
      yield `response ${number + 1} differs from the one without the gateway, ${firstDifference(left!, right!)}`;
      return;
    }
  }
  if (through.visible.length > direct.visible.length)
    yield 'the client got more responses than without the gateway';
}

/** Finds names of tools that the gateway added and that the client saw. */
export function* leaks({ bytes, received }: Transcript, { open }: Conversation): Generator<string> {
  const added = new Set(received.flatMap((body) => addedTools(body, open)));
  for (const name of added) if (bytes.includes(name)) yield `the client saw the gateway's own tool ${name}`;
}

/** Returns the names of tools in a request that its client did not send. */
export function addedTools(body: JsonObject, { tools }: Conversation['open']): string[] {
  const own = new Set(tools?.map(({ name }) => name));
  const shown = JSON.stringify(body.tools ?? body.toolConfig ?? []);
  const names = [...shown.matchAll(/"name":"([\w.-]{6,64})"/g)].map((match) => match[1]!);
  return names.filter((name) => !own.has(name));
}

interface Ends {
  readonly endsIn: Conversation['endsIn'];
  readonly framing: Framing;
  /** The status of a provider that fails. */
  readonly status: number | undefined;
}

/** Finds out whether a client is told of a failure neither by a status nor by an error inside a stream. */
function* lacksError(
  { bytes, visible, refusals }: Transcript,
  framing: Framing,
  words: string,
): Generator<string> {
  const isRefused = ((visible[0] as { status?: number }).status ?? 200) >= 400 && bytes.includes(words);
  const told = decodeStream(bytes, framing).find(
    ({ name, data }) => /error|exception|failed/i.test(name + data) && data.includes(words),
  );
  if (!isRefused && told === undefined)
    yield 'the provider failed, and the client got no error with its words';
  // A provider names the kind of an error, by which clients choose what to throw.
  const kinds = [...(refusals.at(-1) ?? '').matchAll(/"(?:type|status|code)":"(\w+)"/g)]
    .map(([, kind]) => kind!)
    .filter((kind) => kind !== 'error');
  if (told && kinds.length > 0 && !kinds.some((kind) => told.data.includes(kind)))
    yield `the client got an error without its kind, ${kinds.join(' or ')}`;
}

interface CheckInput {
  readonly conversation: Conversation;
  readonly direct: Transcript;
  readonly through: Transcript;
  readonly other: Transcript | undefined;
  readonly path: string;
  readonly format: FormatName;
}

/** Share of the prompt that a deferring gateway shows at most. */
const SHOWN_AT_MOST = 0.8;
/** Difference of shares that counts as equal. */
const SHARE = 0.02;

/** Finds what breaks a property of a conversation. */
export const CHECKS: Readonly<Record<ConversationCheck, (input: CheckInput) => Iterable<string>>> = {
  *defers({ direct, through, path }) {
    const lengthOf = ({ received }: Transcript) => promptOf(received[0] ?? {}, path).join('').length;
    if (lengthOf(through) > SHOWN_AT_MOST * lengthOf(direct))
      yield 'the provider was shown all tools although the gateway claims to hold them back';
  },
  *'whole-definitions'({ through: { received }, conversation: { open, plan } }) {
    const shown = received.map((body) => withoutEscapes(JSON.stringify(body))).join('\n');
    const steps = plan.turns.flatMap((turn) => turn.steps ?? []);
    const called = new Set(steps.flatMap(({ thenCall }) => thenCall.map(({ name }) => name)));
    for (const { name, description, parameters } of open.tools ?? []) {
      if (!called.has(name)) continue;
      const texts = [description, ...descriptionsIn(parameters)];
      const missing = texts.find((text) => !shown.includes(withoutEscapes(text)));
      if (missing !== undefined) yield `the model called ${name} and never read “${missing}”`;
    }
  },
  *'keeps-cache'({ direct, through }) {
    const shareOf = ({ usages }: Transcript) => {
      const { inputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usages.at(-1) ?? {};
      return cacheReadTokens / Math.max(1, inputTokens + cacheReadTokens + cacheWriteTokens);
    };
    const [expected, found] = [shareOf(direct), shareOf(through)];
    if (found < expected - SHARE)
      yield `the last request reads ${percent(found)} of its prompt from the cache, and ${percent(expected)} without the gateway`;
  },
  *'constant-head'({ through, other, path }) {
    const [one, two] = [through, other].map((transcript) => headOf(transcript?.received[0] ?? {}, path));
    if (one !== two) yield `two conversations begin differently, ${firstDifference(one!, two!)}`;
  },
  *'keeps-settings'({ through: { received, receivedHeaders }, conversation, format }) {
    for (const [number, body] of received.entries()) {
      for (const [name, value] of Object.entries(conversation.members?.[format] ?? {})) {
        const [wanted, found] = [value, body[name]].map((one) => meaningOf(JSON.stringify(one) ?? 'nothing'));
        if (wanted !== found)
          yield `request ${number + 1} of the provider has ${found} as ${name}, and not ${wanted}`;
      }
      for (const fault of compareHeaders(conversation.headers ?? [], receivedHeaders[number]!))
        yield `in request ${number + 1} of the provider, ${fault}`;
    }
  },
  *'counts-tokens'({ through: { usagesOf, bodies } }) {
    for (const [at, usages] of usagesOf.entries()) {
      for (const { what, told, of } of COUNTS) {
        const counts = usages.map(of);
        const [last, all] = [counts.at(-1) ?? 0, counts.reduce((sum, count) => sum + count, 0)];
        const found = told(bodies[at]!.toString('utf8'));
        if (found < last || found > all)
          yield `response ${at + 1} tells of ${found} tokens of ${what}, and its last round had ${last} of ${all}`;
      }
    }
  },
  *'forgets-what-was-left'({ through: { received, left } }) {
    if (left === undefined) return;
    if (!left.isCancelled) yield 'the provider went on after the client had left';
    yield* mentions(received.slice(left.before), 'a response that its client had left was sent again');
  },
  *'keeps-apart'({ other }) {
    yield* mentions(other?.received ?? [], 'another client got what the gateway hid from the first');
  },
};

/** A text in searches that only their own conversation may contain. */
export const HIDDEN_MARK = 'zzqx';

function* mentions(bodies: readonly JsonObject[], fault: string): Generator<string> {
  if (JSON.stringify(bodies).includes(HIDDEN_MARK)) yield fault;
}

/** Adds up the numbers behind these names in a response. */
const sumOf =
  (names: RegExp) =>
  (text: string): number =>
    [...text.matchAll(names)].reduce((sum, [, digits]) => sum + Number(digits), 0);

/** Counts of tokens, as responses tell of them and as the provider counted. */
const COUNTS = [
  {
    what: 'its prompt',
    told: sumOf(
      /"(?:prompt_tokens|input_tokens|promptTokenCount|total_input_tokens|prompt_eval_count|inputTokens|cache(?:Read|Write)InputTokens|cache_(?:read|creation)_input_tokens)":(\d+)/g,
    ),
    of: ({ inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 }: Usage) =>
      inputTokens + cacheReadTokens + cacheWriteTokens,
  },
  {
    what: 'its output',
    told: sumOf(
      /"(?:completion_tokens|output_tokens|candidatesTokenCount|total_output_tokens|eval_count|outputTokens)":(\d+)/g,
    ),
    of: ({ outputTokens }: Usage) => outputTokens,
  },
];

/** Definitions may stand in texts within texts, where quotes are escaped more than once. */
const withoutEscapes = (text: string): string => text.replaceAll(/[\\"]/g, '');

/** Returns all descriptions in a schema. */
function descriptionsIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) =>
    key === 'description' && typeof value === 'string' ? [value] : descriptionsIn(value),
  );
}

const percent = (share: number): string => `${Math.round(100 * share)} %`;

function promptOf(body: JsonObject, path: string): string[] {
  return renderPrompt(routeOf('POST', path), body).map(({ text }) => text);
}

/** Returns the prompt before the first message of the user. */
function headOf(body: JsonObject, path: string): string {
  const blocks = promptOf(body, path);
  const first = blocks.findIndex((text) => /kit-\d{6}/.test(text));
  return blocks.slice(0, first).join('\n');
}

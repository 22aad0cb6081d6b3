import { parseJson } from '@winnow/text';
import type { Model } from '../model/model.ts';
import { playModel } from '../model/play-model.ts';
import { AUTOMATIC_CACHE, MARKED_CACHE, PromptCache } from '../prompt-cache/prompt-cache.ts';
import { renderPrompt } from '../prompt-cache/render-prompt.ts';
import { withPromptCache } from '../prompt-cache/with-prompt-cache.ts';
import { createProvider } from '../upstream/create-provider.ts';
import { isJsonObject, type JsonObject } from '../upstream/json-object.ts';
import { routeOf } from '../upstream/route-of.ts';
import type { Usage } from '../upstream/scripted-answer.ts';
import { toWire } from './cases/write.ts';
import type { CaseContext, Conversation, ConversationCheck } from './conformance-case.ts';
import { decodeStream } from './judge/decode-stream.ts';
import { firstDifference } from './judge/first-difference.ts';
import { meaningOf } from './judge/meaning.ts';
import { visibleEvents, visiblePart } from './judge/visible.ts';
import type { Exchange, ReceivedRequest, Seen, WireAnswer, WireRequest } from './wire/exchange.ts';

/** Plays one exchange, directly or through the gateway. */
type PlayOne = (exchange: Exchange) => Promise<Pick<Seen['client'], 'status' | 'body'>>;

/** One conversation as both ends saw it. */
interface Transcript {
  /** The client's view of each response. */
  readonly visible: readonly unknown[];
  /** Everything that the client received. */
  readonly bytes: Buffer;
  /** The bodies that the provider received. */
  readonly received: readonly JsonObject[];
  readonly usages: readonly Usage[];
}

const MOST_REQUESTS = 12;

/** Finds what differs between a conversation through the gateway and the same one without it. */
export async function judgeConversation(
  context: CaseContext,
  conversation: Conversation,
  throughGateway: (exchange: Exchange) => Promise<Seen>,
): Promise<string[]> {
  const path = context.format.path(context.model, conversation.open.isStream ?? false);
  const direct = await converse(context, withoutFailures(conversation), (exchange) =>
    playDirectly(exchange, path),
  );
  const through = await converse(
    context,
    conversation,
    async (exchange) => (await throughGateway(exchange)).client,
  );
  const faults = [...compare(direct, through), ...leaks(through, conversation)];
  for (const check of conversation.checks ?? []) {
    const other =
      check === 'constant-head' ? await otherHead(context, conversation, throughGateway) : undefined;
    faults.push(...CHECKS[check]({ conversation, direct, through, other, path }));
  }
  return faults;
}

/** Has the same agent talk to another user. */
function otherHead(
  context: CaseContext,
  conversation: Conversation,
  throughGateway: (exchange: Exchange) => Promise<Seen>,
): Promise<Transcript> {
  const open = { ...conversation.open, user: 'Quite another thing: book a train to Bonn.' };
  return converse(
    context,
    { ...conversation, open },
    async (exchange) => (await throughGateway(exchange)).client,
  );
}

function withoutFailures({ failing, ...conversation }: Conversation): Conversation {
  return conversation;
}

async function converse(
  context: CaseContext,
  conversation: Conversation,
  play: PlayOne,
): Promise<Transcript> {
  const { format, model, marker } = context;
  const { open, messages = [] } = conversation;
  const isStream = open.isStream ?? false;
  const side = createSide(context, conversation);
  const visible: unknown[] = [];
  const bodies: Buffer[] = [];
  const waiting = [...messages];
  let body: JsonObject | undefined = format.open({ ...open, user: `${open.user} (${marker})` }, model);
  for (let count = 0; body !== undefined && count < MOST_REQUESTS; count++) {
    const request = requestOf(context, body, isStream);
    const { status, body: bytes } = await play({ request, answer: side.answer });
    bodies.push(bytes);
    const response = parseJson(bytes.toString('utf8'));
    const isWhole = !isStream && status === 200 && isJsonObject(response);
    visible.push(
      isStream && status === 200
        ? visibleEvents(decodeStream(bytes, format.framing))
        : { status, body: visiblePart(response ?? bytes.toString('utf8')) },
    );
    body = isWhole ? next(context, body, response, waiting) : undefined;
  }
  return { visible, bytes: Buffer.concat(bodies), ...side };
}

/** Returns the client's next request: the results of calls, or the user's next message. */
function next(
  { format }: CaseContext,
  body: JsonObject,
  response: JsonObject,
  waiting: string[],
): JsonObject | undefined {
  const calls = format.callsIn(response);
  if (calls.length > 0) {
    const results = calls.map((call) => ({ call, text: `${call.name} ran` }));
    return format.proceed(body, response, { results });
  }
  const user = waiting.shift();
  return user === undefined ? undefined : format.proceed(body, response, { user });
}

function requestOf(
  { format, model, headers }: CaseContext,
  body: JsonObject,
  isStream: boolean,
): WireRequest {
  const betas =
    format.name === 'anthropic-messages' ? [['anthropic-beta', 'advanced-tool-use-2025-11-20'] as const] : [];
  return {
    method: 'POST',
    path: format.path(model, isStream),
    headers: [['content-type', 'application/json'], ...headers, ...betas],
    body: [Buffer.from(JSON.stringify(body))],
  };
}

/** The provider's side of a conversation: its model, its prompt cache, and what it received. */
function createSide({ format }: CaseContext, { plan, failing }: Conversation) {
  const received: JsonObject[] = [];
  const usages: Usage[] = [];
  const provider = createProvider();
  const needsMarks = /anthropic|bedrock/.test(format.name);
  const cache = new PromptCache(needsMarks ? MARKED_CACHE : AUTOMATIC_CACHE, () => 0);
  const model: Model = withPromptCache(playModel(plan), cache, (usage) => usages.push(usage));
  const answer = async ({ path, body, headers }: ReceivedRequest): Promise<WireAnswer> => {
    const text = body.toString('utf8');
    const json = parseJson(text);
    const number = received.push(isJsonObject(json) ? json : {}) - 1;
    const question = { path, text, headers: Object.fromEntries(headers) };
    if (failing?.requests.includes(number)) {
      const message = 'tools.0: this member is not permitted';
      return toWire(provider.refuse(question, { status: failing.status, message }));
    }
    return toWire(await provider.converse(question, model));
  };
  return { answer, received, usages };
}

async function playDirectly({ request, answer }: Exchange, path: string) {
  const headers = request.headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  const body = Buffer.concat(request.body);
  const received = { method: 'POST', path, headers, body, isComplete: true };
  const given = typeof answer === 'function' ? await answer(received) : answer;
  const steps = [...given.steps].flatMap((step) => (step.type === 'bytes' ? [step.bytes] : []));
  return { status: given.status, body: Buffer.concat(steps) };
}

function* compare(direct: Transcript, through: Transcript): Generator<string> {
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
function* leaks({ bytes, received }: Transcript, { open }: Conversation): Generator<string> {
  const own = new Set(open.tools?.map(({ name }) => name));
  const names = received.flatMap((body) => [
    ...JSON.stringify(body.tools ?? body.toolConfig ?? []).matchAll(/"name":"([\w.-]{6,64})"/g),
  ]);
  const added = new Set(names.map((match) => match[1]!).filter((name) => !own.has(name)));
  for (const name of added) if (bytes.includes(name)) yield `the client saw the gateway's own tool ${name}`;
}

interface CheckInput {
  readonly conversation: Conversation;
  readonly direct: Transcript;
  readonly through: Transcript;
  readonly other: Transcript | undefined;
  readonly path: string;
}

/** Share of the prompt that a deferring gateway shows at most. */
const SHOWN_AT_MOST = 0.8;
/** Difference of shares that counts as equal. */
const SHARE = 0.02;

const CHECKS: Readonly<Record<ConversationCheck, (input: CheckInput) => Iterable<string>>> = {
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
};

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

import { parseJson } from '@winnow/core';
import {
  AUTOMATIC_CACHE,
  createProvider,
  isJsonObject,
  type JsonObject,
  MARKED_CACHE,
  type Model,
  type ModelPlan,
  PromptCache,
  playModel,
  type Usage,
  withPromptCache,
} from '@winnow/testkit';
import { bodyOf, toWire } from './cases/write.ts';
import type { CaseContext, Conversation } from './conformance-case.ts';
import type { HeaderList } from './formats/client-format.ts';
import {
  addedTools,
  CHECKS,
  compareEnds,
  FAILURE,
  leaks,
  type Transcript,
} from './judge/check-conversation.ts';
import { decodeStream } from './judge/decode-stream.ts';
import { visibleEvents, visiblePart } from './judge/visible.ts';
import type {
  ClientView,
  Exchange,
  ReceivedRequest,
  Seen,
  WireAnswer,
  WireRequest,
} from './wire/exchange.ts';

/** Plays one exchange, directly or through the gateway. */
type PlayOne = (exchange: Exchange) => Promise<Pick<Seen, 'isCancelled'> & { readonly client: Reading }>;

type Reading = Pick<ClientView, 'status' | 'body' | 'end'>;

const MOST_REQUESTS = 12;

/** Finds what differs between a conversation through the gateway and the same one without it. */
export async function judgeConversation(
  context: CaseContext,
  conversation: Conversation,
  throughGateway: (exchange: Exchange) => Promise<Seen>,
): Promise<string[]> {
  const path = context.format.path(context.model, conversation.open.isStream ?? false);
  const { failing, delivery: _, leaving: __, ...undisturbed } = conversation;
  const { endsIn, plan, directPlan = plan } = conversation;
  const refused = endsIn === 'refusal' && failing && { failing: { ...failing, requests: [0] } };
  const direct = await converse(context, { ...undisturbed, plan: directPlan, ...refused }, (exchange) =>
    playDirectly(exchange, path),
  );
  const through = await converse(context, conversation, throughGateway);
  const faults = [
    ...compareEnds(direct, through, { endsIn, framing: context.format.framing, status: failing?.status }),
    ...leaks(through, conversation),
  ];
  for (const check of conversation.checks ?? []) {
    const other =
      check === 'constant-head'
        ? await converse(context, withOtherUser(conversation), throughGateway)
        : check === 'keeps-apart'
          ? await repeatAsAnother(context, through, throughGateway)
          : undefined;
    faults.push(
      ...CHECKS[check]({ conversation, direct, through, other, path, format: context.format.name }),
    );
  }
  return faults;
}

/** The same agent's talk to another user. */
function withOtherUser({ open, ...conversation }: Conversation): Conversation {
  return { ...conversation, open: { ...open, user: 'Quite another thing: book a train to Bonn.' } };
}

/** Sends the last request of a conversation once more, with the credential of another client. */
async function repeatAsAnother(
  context: CaseContext,
  { requests }: Transcript,
  play: PlayOne,
): Promise<Transcript> {
  const headers = context.format.headers(`sk-${context.marker}-another`);
  const side = createSide(context, { open: { user: '' }, plan: { turns: [] } });
  const last = requests.at(-1)!;
  const names = new Set(headers.map(([name]) => name));
  const kept = last.headers.filter(([name]) => !names.has(name));
  await play({ request: { ...last, headers: [...kept, ...headers] }, answer: side.answer });
  return {
    ...side,
    visible: [],
    bytes: Buffer.alloc(0),
    bodies: [],
    requests: [],
    usagesOf: [],
    left: undefined,
    isBroken: false,
  };
}

async function converse(
  context: CaseContext,
  conversation: Conversation,
  play: PlayOne,
): Promise<Transcript> {
  const { format, model, marker } = context;
  const { open, messages = [], leaving, members } = conversation;
  const isStream = open.isStream ?? false;
  const side = createSide(context, conversation);
  const visible: unknown[] = [];
  const bodies: Buffer[] = [];
  const requests: WireRequest[] = [];
  const usagesOf: Usage[][] = [];
  const waiting = [...messages];
  let left: Transcript['left'];
  let isBroken = false;
  let body: JsonObject | undefined = {
    ...format.open({ ...open, user: `${open.user} (${marker})` }, model),
    ...members?.[format.name],
  };
  for (let count = 0; body !== undefined && count < MOST_REQUESTS; count++) {
    const request = requestOf(context, body, conversation);
    if (leaving !== undefined && left === undefined && waiting.length === 0) {
      const { isCancelled } = await play({ request, answer: side.leave(leaving), mood: 'leaves-later' });
      left = { isCancelled, before: side.received.length };
    }
    requests.push(request);
    const before = side.usages.length;
    const { status, body: bytes, end } = (await play({ request, answer: side.answer })).client;
    usagesOf.push(side.usages.slice(before));
    bodies.push(bytes);
    isBroken ||= end !== 'complete';
    const response = parseJson(bytes.toString('utf8'));
    const isWhole = !isStream && status === 200 && isJsonObject(response);
    visible.push(
      isStream && status === 200
        ? visibleEvents(decodeStream(bytes, format.framing))
        : { status, body: visiblePart(response ?? bytes.toString('utf8')) },
    );
    body = isWhole ? next(context, body, response, waiting) : undefined;
  }
  return { visible, bytes: Buffer.concat(bodies), bodies, ...side, requests, usagesOf, left, isBroken };
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
  { format, model, headers: own }: CaseContext,
  body: JsonObject,
  { open, headers = [] }: Conversation,
): WireRequest {
  const betas =
    format.name === 'anthropic-messages' ? [['anthropic-beta', 'advanced-tool-use-2025-11-20'] as const] : [];
  return {
    method: 'POST',
    path: format.path(model, open.isStream ?? false),
    headers: [['content-type', 'application/json'], ...own, ...betas, ...headers],
    body: [Buffer.from(JSON.stringify(body))],
  };
}

/** The provider's side of a conversation: its model, its prompt cache, and what it received. */
function createSide({ format }: CaseContext, conversation: Conversation) {
  const { failing, delivery, open, chatDialect } = conversation;
  const ofDialect = chatDialect && { chatDialect };
  const plan = { ...conversation.plan, ...ofDialect };
  const received: JsonObject[] = [];
  const receivedHeaders: HeaderList[] = [];
  const usages: Usage[] = [];
  const refusals: string[] = [];
  const provider = createProvider(ofDialect);
  const needsMarks = /anthropic|bedrock/.test(format.name);
  const cache = new PromptCache(needsMarks ? MARKED_CACHE : AUTOMATIC_CACHE, () => 0);
  const model: Model = withPromptCache(playModel(plan), cache, (usage) => usages.push(usage));
  const receive = ({ path, body, headers }: ReceivedRequest) => {
    const text = body.toString('utf8');
    const json = parseJson(text);
    const number = received.push(isJsonObject(json) ? json : {}) - 1;
    receivedHeaders.push(headers);
    return { number, question: { path, text, headers: Object.fromEntries(headers) } };
  };
  const answer = async (request: ReceivedRequest): Promise<WireAnswer> => {
    const { number, question } = receive(request);
    if (failing?.requests.includes(number)) {
      if (failing.isReset) return { status: 0, headers: [], steps: [], isRefusing: true };
      const names = failing.namesTools ? addedTools(received[number]!, open) : [];
      const message = [FAILURE, ...names].join(' ');
      const refusal = toWire(provider.refuse(question, { status: failing.status, message }));
      refusals.push(bodyOf(refusal).toString('utf8'));
      return { ...refusal, headers: [...refusal.headers, ['x-should-retry', 'false']] };
    }
    const answered = toWire(await provider.converse(question, model));
    return delivery?.(answered, number) ?? answered;
  };
  /** Returns answers for a client that leaves: what a plan says, and then nothing. */
  const leave = (leaving: ModelPlan) => {
    let isFirst = true;
    return async (request: ReceivedRequest): Promise<WireAnswer> => {
      const { question } = receive(request);
      if (!isFirst) return { status: 200, headers: [], steps: [], isSilent: true };
      isFirst = false;
      return toWire(await provider.converse(question, playModel(leaving)));
    };
  };
  return { answer, leave, received, receivedHeaders, usages, refusals };
}

async function playDirectly({ request, answer }: Exchange, path: string): ReturnType<PlayOne> {
  const headers = request.headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  const body = Buffer.concat(request.body);
  const received = { method: 'POST', path, headers, body, isComplete: true };
  const given = typeof answer === 'function' ? await answer(received) : answer;
  const steps = [...given.steps].flatMap((step) => (step.type === 'bytes' ? [step.bytes] : []));
  return {
    client: { status: given.status, body: Buffer.concat(steps), end: 'complete' },
    isCancelled: false,
  };
}

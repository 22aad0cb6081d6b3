import type { ConversationTurn, PastResult } from '@winnow/testkit';
import { type Asked, ask, type Reach } from './ask.ts';
import type { Wire } from './catalogues.ts';
import { CHAT_CLIENT } from './chat-client.ts';
import { CONVERSE_CLIENT } from './converse-client.ts';
import type { Dialogue } from './dialogue.ts';
import { expectedAnswer } from './expected-answer.ts';
import { GEMINI_CLIENT } from './gemini-client.ts';
import { HOSTED_CLIENT } from './hosted-client.ts';
import { INTERACTIONS_CLIENT } from './interactions-client.ts';
import { INVOKE_CLIENT } from './invoke-client.ts';
import { judgeAnswer } from './judge-answer.ts';
import { MESSAGES_CLIENT } from './messages-client.ts';
import { OLLAMA_CLIENT } from './ollama-client.ts';
import { RESPONSES_CLIENT } from './responses-client.ts';
import { noteFailure, type Tally } from './tally.ts';
import type { ClientAnswer, WireClient } from './wire-client.ts';

/** A client's environment. */
export interface ConverseContext {
  readonly reach: Reach;
  readonly tally: Tally;
  /** Waits for the time that the user or a tool takes. */
  readonly pause: (who: 'user' | 'tool') => Promise<void>;
  /** Whether users leave after the next response, even in the middle of a conversation. */
  readonly isOver: () => boolean;
}

const CLIENTS: Readonly<Record<Wire, WireClient>> = {
  chat: CHAT_CLIENT,
  responses: RESPONSES_CLIENT,
  messages: MESSAGES_CLIENT,
  hosted: HOSTED_CLIENT,
  gemini: GEMINI_CLIENT,
  interactions: INTERACTIONS_CLIENT,
  ollama: OLLAMA_CLIENT,
  converse: CONVERSE_CLIENT,
  invoke: INVOKE_CLIENT,
};
/** More responses than the steps of any plan, so that a stuck conversation fails and does not run forever. */
const MOST_ANSWERS = 10;

/**
 * Holds one dialogue, from its first message to the last response that the user stays for, and judges every
 * response. Ends at the first failure.
 */
export async function converse(dialogue: Dialogue, context: ConverseContext): Promise<void> {
  const { tally, pause, isOver } = context;
  tally.begun += 1;
  const history: object[] = [];
  const turns: ConversationTurn[] = [];
  for (const text of dialogue.messages) {
    await pause('user');
    if (isOver()) break;
    history.push(CLIENTS[dialogue.wire].writeUser?.(text) ?? { role: 'user', content: text });
    turns.push({ role: 'user', text });
    if (!(await finishTurn({ dialogue, history, turns }, context))) return;
  }
  tally.finished += 1;
}

/** The dialogue so far, as the client sends it and as a model reads it. */
interface Progress {
  readonly dialogue: Dialogue;
  readonly history: object[];
  readonly turns: ConversationTurn[];
}

/**
 * Sends requests and returns tool results until the model makes no more calls. Returns whether the
 * conversation can continue.
 */
async function finishTurn(progress: Progress, context: ConverseContext): Promise<boolean> {
  const { dialogue, history, turns } = progress;
  const client = CLIENTS[dialogue.wire];
  for (let answers = 0; answers < MOST_ANSWERS; answers += 1) {
    const answer = await askAndJudge(progress, context);
    if (!answer) return false;
    const { text, message } = answer;
    const calls = client.identify?.(answer.calls, turns) ?? answer.calls;
    history.push(message);
    turns.push({ role: 'assistant', text, calls });
    if (calls.length === 0) return true;
    await context.pause('tool');
    const results = calls.map(toResult);
    history.push(...client.writeResults(results));
    turns.push({ role: 'results', results });
  }
  noteFailure(context.tally, 'endless', `dialogue ${dialogue.number} calls for ever`);
  return false;
}

async function askAndJudge(
  { dialogue, history, turns }: Progress,
  { reach, tally }: ConverseContext,
): Promise<ClientAnswer | undefined> {
  const client = CLIENTS[dialogue.wire];
  const startedAt = performance.now();
  const asked: Asked = await ask({ dialogue, client, history, reach, tally });
  const place = `dialogue ${dialogue.number} (${dialogue.model}), message ${history.length}`;
  if (!asked.ok) {
    noteFailure(tally, asked.kind, `${place}: ${asked.what}`);
    return undefined;
  }
  const expected = await expectedAnswer(dialogue, turns);
  const fault = judgeAnswer(asked.answer, expected, { dialogue, client, raw: asked.raw });
  if (fault !== undefined) {
    noteFailure(tally, 'wrong answer', `${place}: ${fault}`);
    return undefined;
  }
  tally.good += 1;
  tally.durationsMs.push(performance.now() - startedAt);
  return asked.answer;
}

function toResult({ id, name }: { id: string; name: string }): PastResult {
  return { callId: id, text: `${name} is done — 3 entries, “größe” 12, 東京.` };
}

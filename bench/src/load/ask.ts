import type { Agent } from 'node:http';
import type { Dialogue } from './dialogue.ts';
import { type Posted, post } from './post.ts';
import { postHttp2 } from './post-http2.ts';
import type { Tally } from './tally.ts';
import type { ClientAnswer, WireClient } from './wire-client.ts';

/** The clients' way to the proxies. */
export interface Reach {
  /** Returns the address for the next request. */
  readonly nextUrl: () => string;
  readonly agent: Agent;
  /** Returns a signal that aborts when the client's patience ends. */
  readonly deadline: () => AbortSignal;
}

/** One request of a dialogue. */
export interface AskOptions {
  readonly dialogue: Dialogue;
  readonly client: WireClient;
  readonly history: readonly object[];
  readonly reach: Reach;
  readonly tally: Tally;
}

/** A response with the text it was read from, or a failure. */
export type Asked =
  | { readonly ok: true; readonly answer: ClientAnswer; readonly raw: string }
  | { readonly ok: false; readonly kind: string; readonly what: string };

/** Client libraries retry twice, after a pause. */
const MOST_TRIES = 3;
const BEFORE_NEXT_TRY_MS = 500;

/**
 * Sends a request. Retries as every client library does: if a stopping proxy refused it, or if it hit a
 * closing connection.
 */
export async function ask(options: AskOptions): Promise<Asked> {
  const { dialogue, client, history, reach, tally } = options;
  const body = client.writeBody(dialogue, history);
  const headers = client.headers(dialogue);
  // One deadline for all tries, because the user's wait counts.
  const deadline = reach.deadline();
  for (let attempt = 1; ; attempt += 1) {
    const url = `${reach.nextUrl()}${client.pathOf?.(dialogue) ?? client.path}`;
    const posted = dialogue.isHttp2
      ? await postHttp2({ url, headers, body, deadline })
      : await post({ url, headers, body, agent: reach.agent, deadline });
    if (posted.kind === 'answered') tally.requests += 1;
    if (attempt === MOST_TRIES || !mayTryAgain(posted, tally)) return readAnswer(posted, options);
    await new Promise((resolve) => setTimeout(resolve, BEFORE_NEXT_TRY_MS));
  }
}

function mayTryAgain(posted: Posted, tally: Tally): boolean {
  if (posted.kind === 'answered' && posted.status === 503 && posted.bytes.includes('about to stop')) {
    tally.drained += 1;
    return true;
  }
  if (posted.kind !== 'broken' || !posted.wasStale) return false;
  tally.stale += 1;
  return true;
}

function readAnswer(posted: Posted, { client, dialogue }: AskOptions): Asked {
  switch (posted.kind) {
    case 'late':
      return { ok: false, kind: 'late', what: 'there was no answer in time' };
    case 'broken':
      return { ok: false, kind: 'broken', what: posted.reason };
    case 'answered':
      break;
  }
  const { status, bytes } = posted;
  // Decoded at once: a character may be split between two chunks.
  const raw = bytes.toString('utf8');
  if (status !== 200) return { ok: false, kind: `status ${status}`, what: raw };
  try {
    if (!dialogue.isStream) return { ok: true, answer: client.readWhole(raw), raw };
    const events = client.readEvents?.(bytes) ?? readEvents(raw);
    // Text within base64 must be searchable, too.
    return { ok: true, answer: client.readStream(events), raw: client.readEvents ? events.join('\n') : raw };
  } catch (error) {
    return { ok: false, kind: 'unreadable', what: `${(error as Error).message}: ${raw}` };
  }
}

/**
 * Returns the data of each event: the upstream of a load writes a single data line for each. A stream without
 * events consists of lines of JSON.
 */
function readEvents(text: string): string[] {
  if (text.startsWith('{')) return text.trimEnd().split('\n');
  return [...text.matchAll(/^data: ?(.*)$/gm)].map(([, data]) => data!);
}

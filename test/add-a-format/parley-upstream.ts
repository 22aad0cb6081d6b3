import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** A request that the upstream received. */
export interface ParleyRequest {
  readonly url: string;
  readonly pass: string | undefined;
  readonly body: {
    readonly dialogue: readonly { readonly who: string; readonly words?: string }[];
    readonly equipment: readonly { readonly abilities?: readonly { readonly label: string }[] }[];
  };
}

const counted = { in: 10, out: 2 };
/** The content of a stream's event: one of these members. */
type Piece = Readonly<Record<string, unknown>>;

const SEARCH: readonly Piece[] = [
  { words: 'One moment. ' },
  { ask: { ticket: 't1', tool: 'gateway_search_tools', with: { query: 'mail' } } },
  { over: { why: 'asks', counted } },
];
const CALL: readonly Piece[] = [
  { words: 'I send it.' },
  { ask: { ticket: 't2', tool: 'mail_send', with: {} } },
  { over: { why: 'asks', counted } },
];

/**
 * A model of the invented format: it searches until it has got a result, then calls the tools that it found.
 */
export async function startParleyUpstream() {
  const requests: ParleyRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    void text(incoming).then((body) => {
      const parsed = JSON.parse(body) as ParleyRequest['body'];
      const pass = incoming.headers['x-guild-pass'];
      requests.push({ url: incoming.url!, pass: pass === undefined ? pass : String(pass), body: parsed });
      const pieces = parsed.dialogue.at(-1)?.who === 'tool' ? CALL : SEARCH;
      const isStream = incoming.url!.includes(':stream');
      outgoing.setHeader('content-type', 'application/json');
      outgoing.end(
        isStream ? `[${pieces.map((piece) => JSON.stringify(piece)).join('\n,')}]\n` : whole(pieces),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { requests, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function whole(pieces: readonly Piece[]): string {
  const { ask, ...rest } = Object.assign({}, ...pieces) as Piece;
  return JSON.stringify({ ...rest, asks: [ask] });
}

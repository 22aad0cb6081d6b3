import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type AnswerShape, createRandom, generateHostileAnswer, writeAll } from '@winnow/testkit';

/** The header of a request that selects the upstream's hostile response. */
export interface HostileUpstream {
  readonly url: string;
  close(): void;
}

/** The response's seed, its format, whether a stream was requested, and its size, separated by commas. */
export const ANSWER_HEADER = 'x-hostile-answer';

/** The name of the search tool. */
const SEARCH_TOOL = 'gateway_search_tools';
/** The search that Anthropic runs itself; a polyfilled upstream receives it as a function. */
export const HOSTED_SEARCH = 'tool_search_tool_regex';

/**
 * Starts an upstream that writes raw bytes. It reads requests by their content length, the only framing that
 * the proxy sends.
 */
export async function startHostileUpstream(): Promise<HostileUpstream> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let received = '';
    socket.setEncoding('latin1').on('data', (text) => {
      received += text;
      const request = wholeRequest(received);
      if (request === undefined) return;
      received = '';
      void answer(socket, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

function wholeRequest(received: string): string | undefined {
  const end = received.indexOf('\r\n\r\n');
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(received)?.[1] ?? 0);
  return end >= 0 && received.length >= end + 4 + length ? received : undefined;
}

async function answer(socket: Socket, request: string): Promise<void> {
  const [seed, shape, kind, size] = new RegExp(`\r\n${ANSWER_HEADER}: ([^\r]*)`, 'i')
    .exec(request)![1]!
    .split(',');
  const { pieces, ending } = generateHostileAnswer(createRandom(Number(seed)), {
    shape: shape as AnswerShape,
    isStream: kind === 'stream',
    size: Number(size),
    searchToolName: [SEARCH_TOOL, HOSTED_SEARCH, 'n__tool_1'].find((name) => request.includes(name)),
  });
  await writeAll(socket, pieces);
  if (ending === 'end') socket.end();
  else if (ending === 'reset') socket.resetAndDestroy();
}

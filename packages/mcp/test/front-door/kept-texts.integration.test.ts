import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { keptMember, keptText, parseKept } from '@winnow/core';
import { Shares } from '@winnow/service';
import { createRandom, type Random } from '@winnow/testkit';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FrontDoor, openHttpDoor, openStdioDoor } from '../../src/index.ts';
import { ODD_MEMBERS, startEchoServer } from '../echo-server.ts';
import { httpEntry, keepServers, stdioEntry, untilStatus } from '../keep-servers.ts';

/** The texts of arguments and results, from end to end. */

const ECHO = new URL('../echo-server.ts', import.meta.url).pathname;

async function entryOf(form: string) {
  if (form === 'stdio') return stdioEntry('s', [ECHO]);
  const server = await startEchoServer(form as 'json');
  onTestFinished(() => void server.close());
  return httpEntry('s', `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
}

const PARTS = { identity: { name: 'door', version: '1' }, makeId: () => 's', maxSubscriptions: 1 };

const META = JSON.stringify({
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
});

/** Returns a client that sends and receives texts. */
type Ask = (text: string) => Promise<string>;

async function openDoor(over: 'legacy HTTP' | 'modern HTTP' | 'stdio', form: string): Promise<Ask> {
  const kept = await keepServers([await entryOf(form)]);
  await untilStatus(kept, 's', 'up');
  const door = new FrontDoor({
    ...{
      registry: kept.registry,
      servers: kept.servers,
      slots: new Shares(10, []).of({ tenant: 'default' }),
    },
    ...{ now: () => 0, wallClock: () => Date.now() },
  });
  const onDefect = (error: unknown) => {
    throw error;
  };
  const { signal } = new AbortController();
  if (over !== 'stdio') {
    const http = await openHttpDoor({ door, onDefect, ...PARTS });
    const accept = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    return async (text) => {
      const { method, params } = JSON.parse(text);
      const modern = { 'mcp-method': method, 'mcp-name': params.name ?? params.uri };
      const isModern = over === 'modern HTTP';
      const version = { 'mcp-protocol-version': isModern ? '2026-07-28' : '2025-11-25' };
      const headers = { ...accept, ...version, ...(isModern && modern) };
      const sent = isModern ? text.replace('"params":{', `"params":{"_meta":${META},`) : text;
      const response = await http.handle({ headers, body: parseKept(sent), signal });
      if (response.headers.get('content-type') === 'application/json') return response.text();
      return /^data: ([^\n]*)$/m.exec(await response.text())![1]!;
    };
  }
  const [input, output] = [new PassThrough(), new PassThrough()];
  const stdio = await openStdioDoor({ door, onDefect, ...PARTS, input, output, onClosed() {} });
  onTestFinished(() => stdio.close());
  const ask: Ask = (text) => {
    input.write(`${text}\n`);
    return new Promise((resolve) => {
      let answer = '';
      output.on('data', function read(chunk: Buffer) {
        answer += chunk;
        if (!answer.endsWith('\n')) return;
        output.off('data', read);
        resolve(answer);
      });
    });
  };
  const info = '{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}';
  await ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":${info}}`);
  return ask;
}

const callOf = (inner: string, id = 1) =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"call_tool","arguments":{"name":"s__echo","arguments":${inner}}}}`;

const resultOf = (text: string) => keptMember(parseKept(text) as object, 'result') as object;

/** A text of JSON as anyone may write it. */
function writeOddly(random: Random, depth = 3): string {
  const scalars = [
    ...['9007199254740993', '-12345678901234567890', '1E400', '-1e-400', '-0', '1.0', '1.10e2', '0.1'],
    ...['"\\u0041\\u0000"', '"\\ud800"', '"\\/é\\u00e9"', '"💥\u2028"', '""', 'true', 'null'],
  ];
  const kind = depth === 0 ? 0 : random.between(0, 3);
  if (kind < 2) return random.pick(scalars);
  const inner = () => writeOddly(random, depth - 1);
  const items = Array.from({ length: random.between(0, 4) }, inner);
  if (kind === 2) return `[${items.join(random.pick([',', ' ,\t']))}]`;
  return `{${items.map((item) => `${random.pick(['"10"', '"2"', '"b"', '"\\u0061"', '"a"', '"__proto__"'])}: ${item}`).join(',')}}`;
}

describe.each(['legacy HTTP', 'modern HTTP', 'stdio'] as const)('for a client over %s', (over) => {
  test.each(['json', 'stream', 'lines', 'stdio'])(
    'texts stay as they are, with a server over %s',
    async (form) => {
      const ask = await openDoor(over, form);
      const random = createRandom(45);
      for (let count = 0; count < 40; count++) {
        const inner = `{"x":${writeOddly(random)},"y":${writeOddly(random)}}`;
        const result = resultOf(await ask(callOf(inner)));
        expect(keptText(result, 'structuredContent')).toBe(inner);
        expect(keptText(result, 'content')).toBe('[{"type":"text","text":"\\u0041"}]');
        expect(`"odd":${keptText(result, 'odd')}`).toBe(ODD_MEMBERS);
      }
    },
  );

  test('arguments that are written as a text, and those without a refused null, keep the rest', async () => {
    const ask = await openDoor(over, 'json');
    const inner = '{"10":1E400,"strict":null,"2":9007199254740993}';
    const called = await ask(callOf(inner));
    expect(keptText(resultOf(called), 'structuredContent')).toBe('{"10":1E400,"2":9007199254740993}');
    const asText = await ask(callOf(JSON.stringify('{"id":9007199254740993,"b":1.0}')));
    expect(keptText(resultOf(asText), 'structuredContent')).toBe('{"id":9007199254740993,"b":1.0}');
  });

  test.each(['json', 'stream', 'stdio'])('so do the data of errors, with a server over %s', async (form) => {
    const ask = await openDoor(over, form);
    const answer = parseKept(await ask(callOf('{"fail":1.0}'))) as object;
    expect(keptText(keptMember(answer, 'error') as object, 'data')).toBe(`{${ODD_MEMBERS}}`);
  });

  test('of a resource, only addresses of the front door are changed', async () => {
    const ask = await openDoor(over, 'json');
    const read = await ask('{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///a"}}');
    expect(keptText(resultOf(read), 'contents')).toBe(`[{"uri":"file:///a","text":"",${ODD_MEMBERS}}]`);
  });
});

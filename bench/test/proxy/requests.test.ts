import { expect, test } from 'vitest';
import {
  bodyOfConversation,
  bodyWithTools,
  numbered,
  requestBytes,
  smallBody,
} from '../../src/proxy/requests.ts';

test('makes a request of 200 tools and about 140 KB, the same again for the same seed', () => {
  const { bytes, query } = bodyWithTools(true, 1);
  const body = JSON.parse(bytes.toString('utf8'));
  expect(body).toMatchObject({ stream: true, tools: { length: 200 } });
  expect(bytes.length).toBeGreaterThan(125_000);
  expect(bytes.length).toBeLessThan(155_000);
  expect(query).not.toBe('');
  expect(bodyWithTools(true, 1)).toEqual({ format: 'openai-chat', bytes, query });
  expect(bodyWithTools(true, 2).bytes.equals(bytes)).toBe(false);
});

test('begins a new conversation each time, with a message of 800 characters', () => {
  const request = requestBytes(bodyOfConversation(false), { answer: 'whole' });
  const next = numbered(request);
  const messageOf = (bytes: Buffer) =>
    JSON.parse(bytes.toString().split('\r\n\r\n')[1]!).messages[1].content as string;
  const [first, second] = [messageOf(next()), messageOf(next())];
  expect([first.length, second.length]).toEqual([800, 800]);
  expect(first.slice(0, -1)).toBe(second.slice(0, -1));
  expect(first).not.toBe(second);
  expect(() => numbered(requestBytes(smallBody(false), { answer: 'whole' }))).toThrow('no number');
});

test('never holds what the upstream tells an answered search by', () => {
  expect(bodyWithTools(true, 1).bytes.includes('"role":"tool"')).toBe(false);
});

test('writes head and body as they go over the line', () => {
  const body = smallBody(false);
  const text = requestBytes(body, { answer: 'search', query: 'send mail', session: 'one' }).toString('utf8');
  const [head = '', sent] = text.split('\r\n\r\n');
  expect(sent).toBe(body.bytes.toString('utf8'));
  const lines = head.split('\r\n');
  expect(lines[0]).toBe('POST /v1/chat/completions HTTP/1.1');
  expect(lines).toContain(`Content-Length: ${body.bytes.length}`);
  expect(lines).toContain('X-Bench-Answer: search');
  expect(lines).toContain('X-Bench-Query: send mail');
  expect(lines).toContain('X-Winnow-Session: one');
});

test('the same tools are asked for in another format, at its own path', () => {
  const chat = bodyWithTools(true, 1);
  const body = bodyWithTools(true, 1, 'openai-responses');
  const named = (bytes: Buffer) =>
    JSON.parse(bytes.toString()).tools.map(
      (tool: { name?: string; function?: { name: string } }) => tool.name ?? tool.function!.name,
    );
  expect(named(body.bytes)).toEqual(named(chat.bytes));
  expect(requestBytes(body, { answer: 'whole' }).toString()).toMatch(/^POST \/v1\/responses HTTP/);
});

test('Gemini is asked for the same tools, and for a stream in the path', () => {
  const body = bodyWithTools(true, 1, 'gemini');
  const [{ functionDeclarations }] = JSON.parse(body.bytes.toString()).tools;
  expect(functionDeclarations).toHaveLength(200);
  expect(requestBytes(body, { answer: 'stream' }).toString()).toMatch(
    /^POST \/v1beta\/models\/bench-1:streamGenerateContent\?alt=sse HTTP/,
  );
});

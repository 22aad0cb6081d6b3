import { randomUUID } from 'node:crypto';
import {
  changeMembers,
  keptMember,
  memberSpan,
  membersOf,
  splice,
  textOf,
  valueSpan,
  valueStart,
  writeKept,
} from '@winnow/core';
import { isJsonObject, type JsonObject } from '@winnow/registry';

/**
 * Arguments and results on their way through the vendor's package, which copies and rewrites what it is given. Arguments travel in a member
 * of their copy, results as a text that is written in their place at the end. No message has a member of this name by itself.
 */
const KEPT = `winnow-${randomUUID()}`;

/** Returns a message, or several, with held arguments. */
export function holdArguments(message: unknown): unknown {
  if (Array.isArray(message)) return message.map(holdArguments);
  if (!isJsonObject(message) || message.method !== 'tools/call') return message;
  const params = keptMember(message, 'params');
  const given = isJsonObject(params) ? keptMember(params, 'arguments') : undefined;
  return isJsonObject(given)
    ? { ...message, params: { ...(params as JsonObject), arguments: { [KEPT]: given } } }
    : message;
}

/** Returns the arguments of a message that was held. */
export function heldArguments(given: unknown): JsonObject | undefined {
  const held = isJsonObject(given) ? given[KEPT] : undefined;
  return isJsonObject(held) ? held : undefined;
}

/** Returns a result, or the data of an error, that is released on its way out. */
export function holdResult(result: object): { readonly [key: string]: unknown } {
  return { [KEPT]: writeKept(result) };
}

/** Returns a text with one message at most, with the result that it holds; members that the vendor's package has added stay. */
export function releaseResult(text: string): string {
  if (!text.includes(KEPT)) return text;
  const start = text.indexOf('{');
  const error = memberSpan(text, start, 'error');
  const result = memberSpan(text, start, 'result') ?? memberSpan(text, error!.start, 'data')!;
  const members = membersOf(text, result.start);
  const held = members.find(({ key }) => key === KEPT)!;
  const kept = String(JSON.parse(textOf(text, held.value)));
  const own = new Set(membersOf(kept, valueStart(kept)).map(({ key }) => key));
  const added = members.filter(({ key }) => key !== KEPT && !own.has(key));
  const changes = Object.fromEntries(added.map(({ key, value }) => [key, textOf(text, value)]));
  return splice(text, [{ ...result, text: splice(kept, changeMembers(kept, valueSpan(kept), changes)) }]);
}

/** Returns a JSON text without line breaks, which stand only between its values. */
export function onOneLine(text: string): string {
  return text.replace(/[\r\n]+/g, ' ');
}

/** Releases the results in a response: in its body, or in each line of its stream. */
export function releaseResponse(response: Response, isStream: boolean): Response {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let begun: string[] = [];
  const body = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const text = decoder.decode(chunk, { stream: true });
        begun.push(text);
        if (!isStream || !text.includes('\n')) return;
        const lines = begun.join('').split('\n');
        begun = [lines.pop()!];
        const released = lines.map((line) => `${onOneLine(releaseResult(line))}\n`);
        controller.enqueue(encoder.encode(released.join('')));
      },
      flush(controller) {
        const rest = releaseResult(begun.join(''));
        if (rest !== '') controller.enqueue(encoder.encode(rest));
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(body ?? null, { status, statusText, headers });
}

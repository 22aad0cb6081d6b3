import { createRandom, type Random } from '@winnow/testkit';
import { describe, expect, inject, test } from 'vitest';
import { readAnswer, readable, SEARCHING, viewFor, type WrittenCall } from './bridge-contract.ts';
import { type AnswerToWrite, BRIDGE, type FormatFixtures } from './format-fixtures.ts';
import { bytesOf, ClientBody, decodeAll } from './frames.ts';
import { planOf } from './run-exchange.ts';
import { SPELLINGS } from './spelling-contract.ts';

const DEFERRED = ['weather_get', 'mail_send', 'wetter_über.世界'];
const NAMES = [...DEFERRED, 'file_read'];
const TRACES = /gateway/i;

/** The random responses of each kind in a run of all cases, and in the sample. */
const ALL = 200;
const SAMPLE = 4;

/** Tests bridge mode with random calls, each with a seed of its own, against the same calls without Winnow. */
export function testRandomCalls(fixtures: FormatFixtures): void {
  const { writeAnswer: write } = fixtures;
  if (write === undefined) return;
  const { keepsArguments: repeatsKeys = false } = fixtures;
  const callBy = (random: Random, at: number) => randomCall(random, at, repeatsKeys);
  const seeds = Array.from({ length: inject('isExhaustive') ? ALL : SAMPLE }, (_, at) => at + 1);

  describe.each([true, false])('random calls through the bridge tool (streamed: %s)', (isStream) => {
    test.each(seeds)('are what the client gets without Winnow, from seed %i', (seed) => {
      const random = createRandom(seed);
      const calls = Array.from({ length: random.between(1, 4) }, (_, at) => callBy(random, at));
      const style = {
        id: 'response_1',
        ...(random.chance(0.5) && { text: 'I ask. ' }),
        piecesOf: piecesBy(random),
        isAlternating: random.chance(0.5),
      };
      const direct = { ...style, calls: calls.map(({ real }) => real) };
      const bridged = calls.map(({ written }) => written);
      const search = { ...SEARCHING, name: spelt(random, SEARCHING.name) };
      if (random.chance(0.3)) bridged.splice(random.between(0, bridged.length), 0, search);
      const seen = throughWinnow(fixtures, { ...style, calls: bridged }, { isStream, random });
      expect(contentOf(fixtures, seen, isStream)).toEqual(
        contentOf(fixtures, write(direct)[isStream ? 'stream' : 'whole'], isStream),
      );
    });

    test.each(seeds)('leave no trace where they are cut off, from seed %i', (seed) => {
      const random = createRandom(seed);
      const { written } = callBy(random, 0);
      const length = random.between(0, written.arguments.length - 1);
      const call = { ...written, arguments: written.arguments.slice(0, length) };
      const answer = { id: 'response_1', text: 'I ask.', calls: [call], isCut: true };
      const seen = throughWinnow(fixtures, { ...answer, piecesOf: piecesBy(random) }, { isStream, random });
      expect(readable(fixtures, seen)).toContain(fixtures.cutReason);
    });
  });
}

/** Returns the body that the client gets of one response, cut into random pieces of bytes. */
function throughWinnow(
  fixtures: FormatFixtures,
  answer: AnswerToWrite,
  { isStream, random }: { readonly isStream: boolean; readonly random: Random },
): string {
  const { format, framing } = fixtures;
  const { stream, whole } = fixtures.writeAnswer!(answer);
  const view = viewFor(fixtures, isStream, undefined, [DEFERRED[2]!]);
  const joiner = format.joining.joinResponses(view, planOf(DEFERRED, [], 'bridge'));
  const body = new ClientBody(isStream, framing);
  const events = isStream
    ? decodeAll(framing, cutBytes(bytesOf(framing, stream), random))
    : [{ kind: 'whole', text: whole } as const];
  for (const event of events) body.write(joiner.feed(event));
  const end = joiner.endRound();
  body.write(end.kind === 'failed' ? joiner.fail(end) : joiner.finish());
  const text = body.end();
  expect(readable(fixtures, text)).not.toMatch(TRACES);
  return text;
}

/** Returns what a client reads in a body. */
function contentOf(fixtures: FormatFixtures, text: string, isStream: boolean): unknown {
  const { calls, text: said, stopReason } = readAnswer(fixtures, text, isStream);
  return { calls, text: said, stopReason };
}

/** A call as the model writes it without Winnow, and the same call through the bridge tool. */
interface RandomCall {
  readonly real: WrittenCall;
  readonly written: WrittenCall;
}

/** Only arguments that are text can repeat a key. */
function randomCall(random: Random, at: number, repeatsKeys: boolean): RandomCall {
  const name = random.pick(NAMES);
  const real = { id: `call_${at}`, name, arguments: randomObject(random, 0) };
  if (name === 'file_read' && random.chance(0.5)) return { real, written: real };
  return {
    real,
    written: {
      ...real,
      name: spelt(random, BRIDGE),
      arguments: wrap(random, real, { nested: 0, repeatsKeys }),
    },
  };
}

/** Returns a name of ours as a model may spell it. */
function spelt(random: Random, name: string): string {
  return random.chance(0.2) ? random.pick(SPELLINGS)(name) : name;
}

/** Returns the arguments of a bridge call with this call in it, in one of the ways in which models write it. */
function wrap(
  random: Random,
  { name, arguments: inner }: WrittenCall,
  { nested, repeatsKeys }: { readonly nested: number; readonly repeatsKeys: boolean },
): string {
  const gap = () => random.pick(['', '', ' ', '\n', '\t ']);
  const member = (key: string, value: string) => `${gap()}"${key}"${gap()}:${gap()}${value}${gap()}`;
  const shown = random.chance(0.1) && name !== DEFERRED[2] ? `functions.${name}` : name;
  const named = member(random.chance(0.2) ? 'n\\u0061me' : 'name', quote(random, shown));
  const given = member('arguments', random.chance(0.2) ? JSON.stringify(inner) : inner);
  const members = random.chance(0.3) ? [given, named] : [named, given];
  // The first of equal keys counts, because the rest may have been passed on.
  if (repeatsKeys && random.chance(0.15))
    members.push(random.pick([member('name', '"mail_send"'), member('arguments', '{}')]));
  if (random.chance(0.15)) members.splice(random.between(0, 2), 0, member('reason', randomValue(random, 2)));
  const written = `${gap()}{${members.join(',')}}${gap()}`;
  const isNested = nested < 2 && random.chance(0.1);
  return isNested
    ? wrap(random, { id: '', name: BRIDGE, arguments: written.trim() }, { nested: nested + 1, repeatsKeys })
    : written;
}

/** Writes a string, some of its characters by their numbers. */
function quote(random: Random, text: string): string {
  const escaped = [...text].map((one) => {
    const code = one.charCodeAt(0).toString(16).padStart(4, '0');
    return random.chance(0.2) ? `\\u${code}` : one;
  });
  return `"${escaped.join('')}"`;
}

function randomObject(random: Random, nested: number): string {
  const gap = random.pick(['', ' ', '\n  ']);
  const members = Array.from({ length: random.between(0, 3) }, () => {
    // Two members may have the same key.
    const key = random.pick(['"city"', '"name"', '"arguments"', '"a\\"b"', '"\\u0063ity"', '"世界"']);
    return `${gap}${key}:${gap}${randomValue(random, nested + 1)}`;
  });
  return `{${members.join(',')}${gap}}`;
}

function randomValue(random: Random, nested: number): string {
  const kind = random.between(0, nested > 3 ? 3 : 5);
  if (kind === 5) return randomObject(random, nested);
  if (kind === 4) {
    return `[${Array.from({ length: random.between(0, 3) }, () => randomValue(random, nested + 1)).join(', ')}]`;
  }
  return random.pick([
    '"Zürich \\" \\\\ } ] 世界"',
    '"{\\"name\\":\\"mail_send\\"}"',
    '"\\\\\\\\"',
    '12345678901234567890123',
    '-1.50e-7',
    'true',
    'null',
    '""',
  ]);
}

function piecesBy(random: Random): (text: string) => readonly string[] {
  return (text) => {
    const pieces: string[] = [];
    for (let at = 0; at < text.length; ) {
      const end = at + random.between(1, 12);
      pieces.push(text.slice(at, end));
      at = end;
    }
    return pieces;
  };
}

function cutBytes(bytes: Uint8Array, random: Random): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + random.between(1, 60);
    pieces.push(bytes.subarray(at, end));
    at = end;
  }
  return pieces;
}

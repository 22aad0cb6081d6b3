import { describe, expect, it } from 'vitest';
import { keyOf } from '../src/vector-cache.ts';
import { VectorNotes } from '../src/vector-notes.ts';
import type { VectorEntry } from '../src/vector-text.ts';

function notesUnderTest() {
  const notes = new Map<string, string>();
  const failures: unknown[] = [];
  const state = { isBroken: false };
  const store = {
    async readNote(name: string) {
      if (state.isBroken) throw new Error('no disk');
      return notes.get(name);
    },
    async writeNote(name: string, value: string) {
      if (state.isBroken) throw new Error('no disk');
      notes.set(name, value);
    },
  };
  const open = (model = 'a model') =>
    new VectorNotes(store, Promise.resolve(model), (error) => failures.push(error));
  return { notes, failures, state, open, store };
}

const entry = (number: number): VectorEntry => [keyOf(`text ${number}`), Int8Array.of(number % 128, -1, 127)];
const entries = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => entry(from + at));

async function allOf(notes: VectorNotes): Promise<VectorEntry[]> {
  const found: VectorEntry[] = [];
  for await (const some of notes.load()) found.push(...some);
  return found;
}

describe('vectors in notes', () => {
  it('come back as they were, over many notes and in between', async () => {
    const { open, notes } = notesUnderTest();
    const first = open();
    expect(await allOf(first)).toEqual([]);
    first.add(entries(0, 700));
    await first.settle();
    first.add(entries(700, 720));
    await first.settle();
    expect(notes.size).toBe(2);
    const second = open();
    expect(await allOf(second)).toEqual(entries(0, 720));
    second.add(entries(720, 1_500));
    await second.settle();
    expect(await allOf(open())).toEqual(entries(0, 1_500));
    expect(notes.size).toBe(3);
  });

  it('are those of their own model', async () => {
    const { open } = notesUnderTest();
    const one = open('one');
    one.add(entries(0, 3));
    await one.settle();
    expect(await allOf(open('another'))).toEqual([]);
    expect(await allOf(open('one'))).toEqual(entries(0, 3));
  });

  it('are missing if their model is unknown', async () => {
    const { store, failures, notes } = notesUnderTest();
    const unknown = new VectorNotes(store, Promise.reject(new Error('no file')), (error) =>
      failures.push(error),
    );
    expect(await allOf(unknown)).toEqual([]);
    unknown.add(entries(0, 3));
    await unknown.settle();
    expect(failures).toEqual([new Error('no file'), new Error('no file')]);
    expect(notes.size).toBe(0);
  });

  it('can begin again, with fewer', async () => {
    const { open, notes: written } = notesUnderTest();
    const notes = open();
    await allOf(notes);
    notes.add(entries(0, 1_600));
    await notes.replace(entries(100, 700));
    expect(await allOf(open())).toEqual(entries(100, 700));
    expect([...written.values()].map((text) => text.split('\n').filter(Boolean).length)).toEqual([
      512, 88, 0, 0,
    ]);
    await notes.replace([]);
    expect(await allOf(open())).toEqual([]);
  });

  it('are left out where they cannot be read', async () => {
    const { open, notes } = notesUnderTest();
    const written = open();
    written.add(entries(0, 3));
    await written.settle();
    const [[name, text]] = [...notes] as [[string, string]];
    notes.set(name, `${text}\nnonsense\n${'0'.repeat(32)} ???\n`);
    expect(await allOf(open())).toEqual(entries(0, 3));
  });

  it('are lost without a word to anybody but the log where nothing can be written', async () => {
    const { open, state, failures } = notesUnderTest();
    state.isBroken = true;
    const notes = open();
    expect(await allOf(notes)).toEqual([]);
    notes.add(entries(0, 600));
    await notes.settle();
    expect(failures).toHaveLength(3);
    state.isBroken = false;
    notes.add(entries(600, 601));
    await notes.settle();
    expect(failures).toHaveLength(3);
  });

  it('are bounded', async () => {
    const { open, notes } = notesUnderTest();
    const written = open();
    const note = entries(0, 512);
    for (let at = 0; at < 270; at++) written.add(note);
    await written.settle();
    expect(notes.size).toBe(256);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toInt8Vector } from '@winnow/ranking';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Embedder } from '../src/embedder.ts';
import { openEmbedder } from '../src/open-embedder.ts';

/** A folder with `model.onnx` and `tokenizer.json` of a sentence embedder, and one in which its two libraries are installed. */
const { WINNOW_ONNX_MODEL: model = '', WINNOW_ONNX_LIBRARIES: librariesFrom = '' } = process.env;

const patient = () => ({ signal: AbortSignal.timeout(30_000), isUrgent: false });

function open(): Embedder {
  const embedder = openEmbedder(`onnx:${model}`, { key: '', librariesFrom });
  onTestFinished(() => embedder.close());
  return embedder;
}

function cosine(left: ArrayLike<number>, right: ArrayLike<number>): number {
  const dot = (a: ArrayLike<number>, b: ArrayLike<number>) =>
    Array.from(a).reduce((sum, value, at) => sum + value * b[at]!, 0);
  return dot(left, right) / Math.sqrt(dot(left, left) * dot(right, right));
}

describe('a local model', { tags: ['local-model'] }, () => {
  it('gives near vectors to texts that mean the same in other words', async () => {
    const embedder = open();
    const texts = ['How hot will it be tomorrow?', 'Weather forecast', 'Transfer money to an account', ''];
    const vectors = (await embedder.embed(texts, patient())) as Float32Array[];
    expect(new Set(vectors.map(({ length }) => length)).size).toBe(1);
    expect(vectors.map((vector) => toInt8Vector(vector))).not.toContain(undefined);
    expect(cosine(vectors[0]!, vectors[1]!)).toBeGreaterThan(cosine(vectors[0]!, vectors[2]!) + 0.2);
    const [again] = (await embedder.embed([texts[0]!], patient())) as Float32Array[];
    expect(again).toEqual(vectors[0]);
  });

  it('reads the beginning of a text that is too long for it', async () => {
    const [vector] = await open().embed(['weather '.repeat(20_000)], patient());
    expect(toInt8Vector(vector!)).toBeDefined();
  });

  it('lets searches go first', async () => {
    const embedder = open();
    const done: string[] = [];
    const note = (name: string) => () => done.push(name);
    const texts = Array.from({ length: 8 }, (_, at) => `tool ${at}`);
    await Promise.all([
      embedder.embed(texts, patient()).then(note('background')),
      embedder.embed(['a query'], { ...patient(), isUrgent: true }).then(note('search')),
    ]);
    expect(done).toEqual(['search', 'background']);
  });

  it('drops cancelled calls, and keeps working afterwards', async () => {
    const embedder = open();
    const controller = new AbortController();
    const left = embedder.embed(['a', 'b'], { signal: controller.signal, isUrgent: false });
    const other = embedder.embed(['c'], patient());
    controller.abort();
    await expect(left).rejects.toMatchObject({ code: 'slow' });
    expect(await other).toHaveLength(1);
  });

  it('survives texts that take too long, and its end amid one', async () => {
    // Ending its thread amid a text would end this process.
    const embedder = open();
    expect(await embedder.embed(['a'], patient())).toHaveLength(1);
    const texts = Array.from({ length: 5 }, (_, at) => `${at} ${'send an email '.repeat(60)}`);
    for (const ms of [1, 5]) {
      const late = { signal: AbortSignal.timeout(ms), isUrgent: true };
      await expect(embedder.embed(texts, late)).rejects.toMatchObject({ code: 'slow' });
    }
    expect(await embedder.embed(['b'], patient())).toHaveLength(1);
    const lost = expect(embedder.embed(texts, patient())).rejects.toMatchObject({ code: 'model_lost' });
    await Promise.all([embedder.close(), lost]);
  });

  it('says that it is closed', async () => {
    const embedder = open();
    await embedder.close();
    await expect(embedder.embed(['a'], patient())).rejects.toMatchObject({ code: 'model_lost' });
  });
});

describe('an address', () => {
  it('of a folder without a model is refused', () => {
    expect(() => openEmbedder('onnx:/nowhere', { key: '' })).toThrow('/nowhere has no file model.onnx');
  });

  it('of a model whose libraries are missing says how to install them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'winnow-model-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const file of ['model.onnx', 'tokenizer.json']) writeFileSync(join(folder, file), '{}');
    const libraries = { key: '', librariesFrom: join(folder, 'empty') };
    expect(() => openEmbedder(`onnx:${folder}`, libraries)).toThrow(
      'npm i --ignore-scripts onnxruntime-node @huggingface/tokenizers',
    );
  });

  it.each([
    '',
    'onnx:',
    'ftp://host/v1#m',
    'http://host/v1',
    'http://user:secret@host/v1#m',
    'http://host/#%',
  ])('of another form is refused: "%s"', (address) => {
    expect(() => openEmbedder(address, { key: '' })).toThrow('an embedder must be onnx:FOLDER');
  });
});

it('fails when the model is not a model, and does not end the process', {
  tags: ['local-model'],
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-model-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const file of ['model.onnx', 'tokenizer.json']) writeFileSync(join(folder, file), '{}');
  const embedder = openEmbedder(`onnx:${folder}`, { key: '', librariesFrom });
  await expect(embedder.embed(['a'], patient())).rejects.toMatchObject({ code: 'model_lost' });
  await embedder.close();
});

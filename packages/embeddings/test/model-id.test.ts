import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { modelId } from '../src/model-id.ts';

async function folderUnderTest(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'winnow-model-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'model.onnx'), 'weights');
  await writeFile(join(folder, 'tokenizer.json'), '{}');
  return folder;
}

test('a local model is what its files hold, wherever they are', async () => {
  const [folder, elsewhere] = [await folderUnderTest(), await folderUnderTest()];
  await cp(folder, elsewhere, { recursive: true });
  const id = await modelId(`onnx:${folder}`);
  expect(await modelId(`onnx:${elsewhere}`)).toBe(id);
  await writeFile(join(folder, 'model.onnx'), 'other weights');
  expect(await modelId(`onnx:${folder}`)).not.toBe(id);
  await rm(join(folder, 'model.onnx'));
  await expect(modelId(`onnx:${folder}`)).rejects.toThrow('model.onnx');
});

test('the model of an endpoint is its address', async () => {
  expect(await modelId('https://api.example.com/v1#small')).toBe('https://api.example.com/v1#small');
});

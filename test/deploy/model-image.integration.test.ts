import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readText } from './compose-file.ts';
import { environmentOf, readStages } from './dockerfile.ts';

const stages = readStages();
const stageOf = (name: string) => stages.find((stage) => stage.name === name)!;

/**
 * Runs the command of the stage as the builder's shell would, in its own folders, with an npm that prints its
 * arguments.
 */
function build(model: string, files: readonly string[] = []) {
  const root = mkdtempSync(join(tmpdir(), 'winnow-model-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const folder of ['context/models/small', 'image', 'bin'])
    mkdirSync(join(root, folder), { recursive: true });
  for (const file of files) writeFileSync(join(root, 'context/models/small', file), file, { mode: 0o600 });
  writeFileSync(join(root, 'bin/npm'), `#!/bin/sh\necho "$@" > ${root}/npm\n`, { mode: 0o755 });
  const { rest } = stageOf('model').instructions.find(({ name }) => name === 'RUN')!;
  const [, mount, command] = /^--mount=type=bind,target=(\S+) (.*)$/.exec(rest)!;
  const { status } = spawnSync('sh', ['-c', command!.replaceAll(mount!, `${root}/context`)], {
    cwd: join(root, 'image'),
    env: { PATH: `${root}/bin:/usr/bin:/bin`, MODEL: model },
  });
  return {
    status,
    has: (path: string) => existsSync(join(root, 'image', path)),
    npm: existsSync(join(root, 'npm')) ? readFileSync(join(root, 'npm'), 'utf8').trim() : undefined,
    mode: (path: string) =>
      spawnSync('stat', ['-c', '%a', join(root, 'image', path)])
        .stdout.toString()
        .trim(),
  };
}

describe('the stage of the model', () => {
  test('is empty without the build argument', () => {
    const { status, has, npm } = build('');
    expect([status, has('model'), npm]).toEqual([0, false, undefined]);
  });

  test('has the model, readable for the user of the service, and the libraries that run it', () => {
    const { status, has, npm, mode } = build('models/small', ['model.onnx', 'tokenizer.json']);
    expect([status, has('model/model.onnx'), has('model/tokenizer.json')]).toEqual([0, true, true]);
    expect(mode('model/model.onnx')).toBe('644');
    const { peerDependencies } = JSON.parse(readText('packages/embeddings/package.json')) as {
      peerDependencies: Record<string, string>;
    };
    expect(npm).toContain('--ignore-scripts');
    for (const [name, range] of Object.entries(peerDependencies))
      expect(npm).toContain(`${name}@${range.slice(1)}`);
  });

  test.each([
    ['no tokenizer', 'models/small', ['model.onnx']],
    ['no model', 'models/small', ['tokenizer.json']],
    ['no such folder', 'models/other', []],
  ])('fails the build where there is %s', (_, model, files) => {
    expect(build(model, files).status).not.toBe(0);
  });
});

test.each([
  ['selector', 'SELECTOR_EMBEDDER_ADDRESS'],
  ['proxy', 'PROXY_EMBEDDER_ADDRESS'],
  ['registry', 'REGISTRY_EMBEDDER_ADDRESS'],
])(
  'the image of the %s finds both where the stage has put them, and knows of none without',
  (service, variable) => {
    const stage = stageOf(service);
    expect(stage.instructions).toContainEqual({ name: 'ARG', rest: 'MODEL=' });
    expect(stage.instructions).toContainEqual({
      name: 'COPY',
      rest: '--from=model /opt/embedder /opt/embedder',
    });
    expect(stageOf('model').instructions).toContainEqual({ name: 'WORKDIR', rest: '/opt/embedder' });
    const built = environmentOf(stage, { MODEL: 'models/small' });
    expect(built).toMatchObject({
      NODE_PATH: '/opt/embedder/node_modules',
      [variable]: 'onnx:/opt/embedder/model',
    });
    expect(environmentOf(stage)[variable]).toBe('');
  },
);

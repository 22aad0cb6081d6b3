/**
 * @module-tag python
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { findFreePort, startProcess } from './deploy/start-process.ts';

const ROOT = join(import.meta.dirname, '..');
const PYTHON = 'python3';

test("the Python client's own tests pass against the running selector", async () => {
  const port = await findFreePort();
  const selector = startProcess({
    command: [process.execPath, 'apps/selector/src/main.ts'],
    environment: { SELECTOR_SERVER_PORT: String(port), SELECTOR_SERVER_TOKENS: 'right' },
    folder: ROOT,
  });
  await selector.says(/winnow selector listens on/);
  const { stderr } = await promisify(execFile)(PYTHON, ['clients/python/tests/client_test.py'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      PYTHONPATH: join(ROOT, 'clients/python/src'),
      PYTHONDONTWRITEBYTECODE: '1',
      WINNOW_URL: `http://127.0.0.1:${port}`,
      WINNOW_TOKEN: 'right',
    },
  });
  expect(stderr).toMatch(/Ran 14 tests.*\n\nOK/);
});

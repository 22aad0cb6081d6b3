import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { RegisteredProcesses } from './registered-processes.ts';

test('a process that is registered again has its new name, be it shorter, until it is removed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'winnow-processes-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const processes = new RegisteredProcesses(folder);
  const [worker, child] = [
    { pid: 11, owner: 10 },
    { pid: 12, owner: 11 },
  ];
  processes.add({ ...worker, name: 'packages/one/a-long-name.test.ts' });
  processes.add({ ...child, name: 'sleep 7' });
  processes.add({ ...worker, name: 'b.test.ts' });
  const since = expect.any(Number);
  expect(processes.all().toSorted((a, b) => a.pid - b.pid)).toEqual([
    { ...worker, name: 'b.test.ts', since },
    { ...child, name: 'sleep 7', since },
  ]);
  processes.remove(child);
  expect(processes.all()).toMatchObject([worker]);
});

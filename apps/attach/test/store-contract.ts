import type { AttachResponse } from '@winnow/core';
import { expect, test } from 'vitest';
import type { AttachStore } from '../src/guard/attach-store.ts';
import type { PlannedAttachment } from '../src/prepare-attachment.ts';

const RESPONSE = { success: true, message: 'done', details: {} } as AttachResponse;

/** The behaviour of every store. */
export function proveStore(open: () => Promise<AttachStore>): void {
  test('leases an agent once, and again when it was given back', async () => {
    const store = await open();
    const lease = await store.lease('agent-1');
    expect(lease).toBeDefined();
    expect(await store.lease('agent-1')).toBeUndefined();
    expect(await store.lease('agent-2')).toBeDefined();
    expect(await lease!.renew()).toBe(true);
    await lease!.release();
    const next = await store.lease('agent-1');
    expect(next).toBeDefined();
    // Who had it before can neither keep it nor give it back.
    expect(await lease!.renew()).toBe(false);
    await lease!.release();
    expect(await store.lease('agent-1')).toBeUndefined();
  });

  test('knows a key from its begin to its response, and by its body', async () => {
    const store = await open();
    expect(await store.begin('k', 'body')).toEqual({ kind: 'begun' });
    expect(await store.begin('k', 'body')).toEqual({ kind: 'running' });
    expect(await store.begin('k', 'other')).toEqual({ kind: 'conflict' });
    await store.finish('k', 'body', RESPONSE);
    expect(await store.begin('k', 'body')).toEqual({ kind: 'finished', response: RESPONSE });
    expect(await store.begin('k', 'other')).toEqual({ kind: 'conflict' });
    await store.begin('l', 'body');
    await store.abandon('l');
    expect(await store.begin('l', 'other')).toEqual({ kind: 'begun' });
  });

  test('keeps plans as they are', async () => {
    const store = await open();
    const planned = { keep: ['tool-1'], minScore: 35.5 } as unknown as PlannedAttachment;
    await store.savePlan('p', planned);
    expect(await store.readPlan('p')).toEqual(planned);
    expect(await store.readPlan('q')).toBeUndefined();
  });
}

import { FORMATS, type HiddenTurn } from '@winnow/wire';
import { describe, expect, it } from 'vitest';
import { ExchangeSession } from '../src/exchange/exchange-session.ts';
import { MemorySessionStore } from '../src/sessions/memory.ts';
import type { Verdict } from '../src/sessions/notes.ts';
import { PendingWork, type SessionStore } from '../src/sessions/session-store.ts';
import { viewOf } from './request-view.ts';

const format = FORMATS.find(({ name }) => name === 'anthropic-messages')!;
const NATIVE = { mode: 'native', dropsThinking: false } as const;

interface Scene {
  readonly sessions?: Partial<SessionStore>;
  readonly hasCredential?: boolean;
  readonly hasModes?: boolean;
}

/** A scene for exchanges of one tenant, with a clock that stands still. */
function beginScene({ hasModes = true, sessions, hasCredential = true }: Scene = {}) {
  const clock = { now: 0, ring: () => {} };
  const memory = new MemorySessionStore({ ttlMs: 1_000, maxBytes: 1_000_000, now: () => 0 });
  const store: SessionStore = {
    isShared: false,
    read: (tenant, keys) => memory.read(tenant, keys),
    add: (place, notes) => memory.add(place, notes),
    sweep: () => {},
    ...sessions,
  };
  const context = {
    sessions: store,
    pendingWork: new PendingWork(),
    effects: {
      now: () => clock.now,
      every: (_: number, callBack: () => void) => {
        clock.ring = callBack;
        return () => {};
      },
    },
  };
  const begin = (...messages: object[]) => {
    const view = viewOf({ tools: ['alpha', 'beta'], more: { messages } });
    const scope = {
      tenant: 't',
      session: 's',
      format,
      view,
      hasCredential,
      keepsOpenings: true,
      hasModes,
      patienceMs: 5,
    };
    return { session: new ExchangeSession(scope, context), view };
  };
  return { begin, clock };
}

const user = (content: string) => ({ role: 'user', content });
const assistant = (...content: object[]) => ({ role: 'assistant', content });
const text = (said: string) => ({ type: 'text', text: said });
const call = (id: string, name: string) => ({ type: 'tool_use', id, name, input: {} });

/** The hidden turn of an exchange that answered `view` with a search and this text. */
function hiddenTurn(view: ReturnType<typeof viewOf>, said: string): HiddenTurn {
  const search = { id: 'toolu_search0001', name: 'search', queries: ['q'] };
  const asking = JSON.stringify(assistant(call(search.id, search.name)));
  return format.remembering.hideTurn(view, [
    {
      turn: { message: asking, realCalls: [], searches: [search] },
      results: [{ callId: search.id, kind: 'found', tools: [{ name: 'alpha', description: 'secret' }] }],
    },
    { turn: { message: JSON.stringify(assistant(text(said))), realCalls: [], searches: [] }, results: [] },
  ])!;
}

describe('ExchangeSession', () => {
  it('returns to a history its own notes, and to another history nothing', async () => {
    const { begin } = beginScene();
    const first = begin(user('begin'));
    const hidden = hiddenTurn(first.view, 'done');
    await first.session.add(
      () => hidden.keys,
      NATIVE,
      async () => hidden,
    );
    const next = begin(user('begin'), assistant(text('done')), user('go on'));
    expect(await next.session.read()).toEqual({
      hiddenTurns: [hidden],
      verdict: NATIVE,
      errors: 0,
    });
    const other = begin(user('begin otherwise'), assistant(text('done')), user('go on'));
    expect(await other.session.read()).toMatchObject({ hiddenTurns: [], verdict: undefined });
    const fresh = begin(user('begin'));
    expect(await fresh.session.read()).toMatchObject({ hiddenTurns: [], verdict: undefined });
  });

  it('never stores the descriptions of found tools', async () => {
    const { begin } = beginScene();
    const { view } = begin(user('begin'));
    expect(JSON.stringify(hiddenTurn(view, 'done'))).not.toContain('secret');
  });

  it('recognises turns only by ids and signatures without a credential', async () => {
    const { begin } = beginScene({ hasCredential: false });
    const first = begin(user('begin'));
    const hidden = hiddenTurn(first.view, 'done');
    await first.session.add(
      () => hidden.keys,
      NATIVE,
      async () => hidden,
    );
    const next = begin(user('begin'), assistant(text('done')), user('go on'));
    expect(await next.session.read()).toMatchObject({ hiddenTurns: [], verdict: undefined });
  });

  it('stores no mode if there is only one, but stores that thinking was dropped', async () => {
    const { begin } = beginScene({ hasModes: false });
    const history = [user('begin'), assistant(text('one')), user('go on')];
    const verdictAfter = async (verdict: Verdict) => {
      const first = begin(user('begin'));
      await first.session.add(() => hiddenTurn(first.view, 'one').keys, verdict, undefined);
      return (await begin(...history).session.read()).verdict;
    };
    expect(await verdictAfter({ mode: 'swap', dropsThinking: false })).toBeUndefined();
    expect(await verdictAfter({ mode: 'swap', dropsThinking: true })).toMatchObject({ dropsThinking: true });
  });

  it('uses the latest verdict that the history shows', async () => {
    const { begin } = beginScene();
    const bypass = { mode: 'bypass', dropsThinking: false } as const;
    const history = [user('begin'), assistant(text('one')), user('go on')];
    const first = begin(user('begin'));
    await first.session.add(
      () =>
        format.remembering.shownKeys(first.view, [
          {
            turn: { message: JSON.stringify(assistant(text('one'))), realCalls: [], searches: [] },
            results: [],
          },
        ]),
      NATIVE,
      async () => undefined,
    );
    const second = begin(...history);
    expect((await second.session.read()).verdict).toEqual(NATIVE);
    await second.session.remember(bypass);
    expect((await begin(...history).session.read()).verdict).toEqual(bypass);
    const third = begin(...history, assistant(text('two')), user('and on'));
    expect((await third.session.read()).verdict).toEqual(bypass);
  });

  it('remembers a refusal of the first request for its own continuation, not for similar requests', async () => {
    const { begin } = beginScene();
    const bypass = { mode: 'bypass', dropsThinking: false } as const;
    await begin(user('begin')).session.remember(bypass);
    expect((await begin(user('begin')).session.read()).verdict).toBeUndefined();
    const next = begin(user('begin'), assistant(text('one')), user('go on'));
    expect((await next.session.read()).verdict).toEqual(bypass);
  });

  it('waits for a search of its own history, not for others, and not forever', async () => {
    const { begin, clock } = beginScene();
    const first = begin(user('begin'));
    const hidden = hiddenTurn(first.view, 'done');
    const searched = Promise.withResolvers<HiddenTurn>();
    const adding = first.session.add(
      () => hidden.keys,
      NATIVE,
      () => searched.promise,
    );
    const other = begin(user('begin'), assistant(text('other')), user('go on'));
    expect((await other.session.read()).hiddenTurns).toEqual([]);
    const impatient = begin(user('begin'), assistant(text('done')), user('go on')).session.read();
    clock.ring();
    expect((await impatient).hiddenTurns).toEqual([]);
    const patient = begin(user('begin'), assistant(text('done')), user('go on')).session.read();
    searched.resolve(hidden);
    await adding;
    expect((await patient).hiddenTurns).toEqual([hidden]);
  });

  it('computes no keys for an exchange that stores nothing, and stores a new verdict', async () => {
    const { begin } = beginScene();
    const history = [user('begin'), assistant(text('one')), user('go on')];
    const said = { message: JSON.stringify(assistant(text('one'))), realCalls: [], searches: [] };
    const first = begin(user('begin'));
    await first.session.add(
      () => format.remembering.shownKeys(first.view, [{ turn: said, results: [] }]),
      NATIVE,
      undefined,
    );
    const second = begin(...history);
    expect((await second.session.read()).verdict).toEqual(NATIVE);
    const shownKeys = () => {
      throw new Error('keys that are not needed');
    };
    expect(await second.session.add(shownKeys, NATIVE, undefined)).toBe(0);
  });

  it('forgets an id that a second turn has, and keeps what was first said after a text', async () => {
    const { begin } = beginScene();
    const real = { id: 'toolu_abcdef0123456789', name: 'alpha' };
    const search = { id: 'toolu_search0001', name: 'search', queries: ['q'] };
    const hide = (view: ReturnType<typeof viewOf>) =>
      format.remembering.hideTurn(view, [
        {
          turn: {
            message: JSON.stringify(assistant(call(search.id, 'search'))),
            realCalls: [],
            searches: [search],
          },
          results: [{ callId: search.id, kind: 'found', tools: [] }],
        },
        {
          turn: {
            message: JSON.stringify(assistant(call(real.id, real.name))),
            realCalls: [real as never],
            searches: [],
          },
          results: [],
        },
      ])!;
    const readAfter = async (opening: string) => {
      const result = { type: 'tool_result', tool_use_id: real.id, content: 'ok' };
      const next = begin(user(opening), assistant(call(real.id, real.name)), {
        role: 'user',
        content: [result],
      });
      return (await next.session.read()).hiddenTurns.length;
    };
    const add = async (opening: string) => {
      const { session, view } = begin(user(opening));
      const hidden = hide(view);
      await session.add(
        () => hidden.keys,
        NATIVE,
        async () => hidden,
      );
    };
    await add('begin');
    // The id alone finds the turn, whatever its history says.
    expect(await readAfter('trimmed')).toBe(1);
    await add('begin anew');
    expect(await readAfter('trimmed')).toBe(0);
    expect(await readAfter('begin')).toBe(1);
  });

  it('counts each failure once, and continues without the stored notes', async () => {
    const fail = () => Promise.reject(new Error('the store is gone'));
    const { begin } = beginScene({ sessions: { read: fail, add: fail } });
    const { session, view } = begin(user('begin'), assistant(text('done')), user('go on'));
    expect(await session.read()).toEqual({ hiddenTurns: [], verdict: undefined, errors: 1 });
    const hidden = hiddenTurn(view, 'more');
    expect(
      await session.add(
        () => hidden.keys,
        NATIVE,
        async () => hidden,
      ),
    ).toBe(1);
    expect(
      await session.add(
        () => undefined,
        NATIVE,
        () => Promise.reject(new Error('a defect')),
      ),
    ).toBe(1);
  });
});

import { FORMATS, vendorNamed } from '@winnow/wire';
import { describe, expect, it } from 'vitest';
import { LoadModes, type ModeNotice, type ModeQuestion } from '../src/strategies/load-modes.ts';
import type { Upstream } from '../src/upstream/choose-upstream.ts';
import { viewOf } from './request-view.ts';

const format = FORMATS.find(({ name }) => name === 'anthropic-messages')!;
const HOUR_MS = 3_600_000;

interface Case {
  readonly load?: Upstream['load'];
  readonly origin?: string;
  readonly more?: Record<string, unknown>;
  readonly verdict?: ModeQuestion['verdict'];
  readonly tenant?: string;
}

const ADAPTIVE = { thinking: { type: 'adaptive' } };
const BOUND = { model: 'claude-opus-5-5', ...ADAPTIVE };
const ELSEWHERE = 'https://gateway.example';

function begin() {
  const clock = { now: 0 };
  const said: ModeNotice[] = [];
  const modes = new LoadModes({ now: () => clock.now, say: (notice) => said.push(notice) });
  return { clock, said, modes };
}

function question({
  load = 'auto',
  origin = 'https://api.anthropic.com',
  more = { model: 'claude-opus-4-6' },
  verdict,
  tenant = 't',
}: Case): ModeQuestion {
  const upstream = {
    name: 'up',
    vendor: vendorNamed('anthropic'),
    origin,
    basePath: '',
    auth: { kind: 'forward' } as const,
    load,
    retryAttempts: 0,
    idleTimeoutMs: 0,
  };
  return { format, upstream, view: viewOf({ tools: ['a'], more }), tenant, verdict };
}

const choose = (parts: Case) => begin().modes.choose(question(parts));
const bypass = { mode: 'bypass', dropsThinking: false } as const;
const native = { mode: 'native', dropsThinking: false } as const;
const swap = { mode: 'swap', dropsThinking: false } as const;
const thought = {
  messages: [
    { role: 'user', content: 'a' },
    { role: 'assistant', content: [{ type: 'thinking', thinking: 't', signature: 's' }] },
    { role: 'user', content: 'b' },
  ],
};

describe('the load mode', () => {
  it.each<[string, Case, string]>([
    ['native at the documented origin', {}, 'native'],
    ['native for Haiku 4.5', { more: { model: 'claude-haiku-4-5' } }, 'native'],
    ['bridge for an older model', { more: { model: 'claude-opus-4-1' } }, 'bridge'],
    ['bridge behind a gateway', { origin: ELSEWHERE }, 'bridge'],
    [
      'bridge behind a gateway for a new model',
      { origin: ELSEWHERE, more: { model: 'claude-next' } },
      'bridge',
    ],
    ['bridge for a model of an unknown vendor', { origin: ELSEWHERE, more: { model: 'ours' } }, 'bridge'],
    ['native elsewhere if the upstream is set to', { origin: ELSEWHERE, load: 'native' }, 'native'],
    ['native for any name if the upstream is set to', { load: 'native', more: { model: 'ours' } }, 'native'],
    ['swap if it is set', { load: 'swap' }, 'swap'],
    ['native for bound thinking at the documented origin', { more: BOUND }, 'native'],
    ['bridge for bound thinking elsewhere', { origin: ELSEWHERE, more: BOUND }, 'bridge'],
    ['none for bound thinking if swap is set', { load: 'swap', more: BOUND }, 'thinking_bound'],
    [
      'none for bound thinking with a budget',
      { load: 'swap', more: { ...BOUND, thinking: { type: 'enabled' } } },
      'thinking_bound',
    ],
    [
      'none for a history with bound thinking',
      { load: 'swap', more: { model: BOUND.model, ...thought } },
      'thinking_bound',
    ],
    ['swap for such a model without thinking', { load: 'swap', more: { model: BOUND.model } }, 'swap'],
    ['none in a conversation that was refused', { verdict: bypass }, 'refused_before'],
    ['swap in a conversation that began with it', { verdict: swap }, 'swap'],
    [
      'none in a conversation that began with swap, once thinking is bound',
      { verdict: swap, more: BOUND },
      'thinking_bound',
    ],
  ])('is %s', (_, parts, expected) => {
    expect(choose(parts)).toBe(expected);
  });

  const ofChat = ({ origin = 'https://api.openai.com', ...parts }: Case) => {
    const chat = FORMATS.find(({ name }) => name === 'openai-chat')!;
    const { upstream, ...rest } = question({ more: { model: 'gpt-5.5' }, ...parts });
    const ofOpenai = { ...upstream, origin, vendor: vendorNamed('openai') };
    return { ...rest, format: chat, upstream: ofOpenai };
  };

  it.each<[string, Case, string]>([
    ["bridge at the vendor's own server", {}, 'bridge'],
    [
      'bridge for an open model at an unknown server',
      { origin: ELSEWHERE, more: { model: 'gpt-oss-120b' } },
      'bridge',
    ],
    ['bridge at an unknown server if it is set', { origin: ELSEWHERE, load: 'bridge' }, 'bridge'],
    ['native at another server if it is set', { origin: ELSEWHERE, load: 'native' }, 'native'],
    ["never native at the vendor's own server", { load: 'native' }, 'bridge'],
    ['swap if it is set', { load: 'swap' }, 'swap'],
    ['swap in a conversation that began with it', { verdict: swap }, 'swap'],
    [
      'bridge in a conversation that began with it',
      { origin: ELSEWHERE, verdict: { mode: 'bridge', dropsThinking: false } },
      'bridge',
    ],
  ])('of Chat is %s', (_, parts, expected) => {
    expect(begin().modes.choose(ofChat(parts))).toBe(expected);
  });

  it.each([
    ['openai-responses', 'openai', 'https://api.openai.com', 'gpt-5', 'bridge'],
    ['openai-responses', 'openai', 'https://api.openai.com', 'gpt-5.5', 'native'],
    ['gemini', 'gemini', 'https://generativelanguage.googleapis.com', 'gemini-3-pro-preview', 'bridge'],
    ['gemini', 'gemini', ELSEWHERE, 'gemini-3-pro-preview', 'bridge'],
    ['openai-responses', 'openai', ELSEWHERE, 'gpt-5', 'bridge'],
    ['gemini-interactions', 'gemini', 'https://generativelanguage.googleapis.com', 'gemini-99', 'bridge'],
    ['ollama-chat', 'ollama', 'http://127.0.0.1:11434', 'gpt-oss:20b', 'bridge'],
    ['ollama-chat', 'ollama', 'https://ollama.com', 'gpt-oss:120b', 'bridge'],
  ] as const)('of %s by %s at %s is, for %s, %s', (name, vendor, origin, model, expected) => {
    const asked = question({ more: { model } });
    const format = FORMATS.find((one) => one.name === name)!;
    const upstream = { ...asked.upstream, origin, vendor: vendorNamed(vendor) };
    expect(begin().modes.choose({ ...asked, format, upstream })).toBe(expected);
  });

  it('changes for new conversations of a tenant after a refusal, for an hour', () => {
    const { modes, clock } = begin();
    const { upstream } = question({});
    modes.refuse({ upstream, model: 'claude-opus-4-6', tenant: 't' });
    expect(modes.choose(question({}))).toBe('bridge');
    expect(modes.choose(question({ verdict: native }))).toBe('native');
    expect(modes.choose(question({ tenant: 'another' }))).toBe('native');
    expect(modes.choose(question({ more: { model: 'claude-opus-4-7' } }))).toBe('native');
    clock.now = HOUR_MS;
    expect(modes.choose(question({}))).toBe('native');
  });

  it('changes for new conversations if deferred tools are billed, which is logged once', () => {
    const { modes, said } = begin();
    const { upstream } = question({});
    for (let time = 0; time < 2; time++) modes.blame({ upstream, model: 'claude-opus-4-6' });
    expect(modes.choose(question({}))).toBe('bridge');
    expect(modes.choose(question({ verdict: native }))).toBe('native');
    expect(said).toMatchObject([{ event: 'native_billed', upstream: 'up', setting: 'upstreams.up.load' }]);
  });
});

describe('the form in which preloaded tools come', () => {
  const changing = { model: 'claude-opus-5' };
  const formOf = (parts: Case, modes = begin().modes, mode: 'native' | 'swap' = 'native') =>
    modes.preloadForm(question(parts), mode);

  it.each<[string, Case, string]>([
    ["is a change of tools at the vendor's servers", { more: changing }, 'change'],
    ['is a search for a model that takes no such change', {}, 'search'],
    ['is a search at other servers', { more: changing, origin: ELSEWHERE, load: 'native' }, 'search'],
  ])('%s', (_, parts, form) => {
    expect(formOf(parts)).toBe(form);
  });

  it('does not exist where tools are swapped', () => {
    expect(formOf({ more: changing }, undefined, 'swap')).toBeUndefined();
  });

  it('is a search once the upstream has refused a change, for that tenant and model', () => {
    const { modes } = begin();
    const { upstream, tenant } = question({});
    modes.refuseChange({ upstream, model: 'claude-opus-5', tenant });
    expect(formOf({ more: changing }, modes)).toBe('search');
    expect(formOf({ more: changing, tenant: 'other' }, modes)).toBe('change');
    expect(formOf({ more: { model: 'claude-opus-4-8' } }, modes)).toBe('change');
  });
});

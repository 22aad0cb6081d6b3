import type { Random } from '@winnow/testkit';
import type { Mischief } from './mischief.ts';
import type { Relay, RelayMode } from './relay.ts';

const GARBAGE_BYTES = 4_000;

/** Failures of the connection to any service. */
export function relayMischief(name: string, relay: Relay, slowMs: number, random: Random): Mischief[] {
  const spoil = (what: string, mode: RelayMode): Mischief => ({
    name: `${name}: ${what}`,
    begin: async () => relay.setMode(mode),
    end: async () => relay.setMode({ kind: 'pass' }),
  });
  const bytes = Buffer.from(Array.from({ length: GARBAGE_BYTES }, () => random.below(256)));
  return [
    spoil(`${slowMs} ms away`, { kind: 'slow', ms: slowMs }),
    spoil('silent', { kind: 'silent' }),
    spoil('connections are reset', { kind: 'reset' }),
    spoil('answers garbage', { kind: 'garbage', bytes }),
  ];
}

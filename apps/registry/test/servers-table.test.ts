import type { ServerResponse } from '@winnow/core';
import { describe, expect, test } from 'vitest';
import { serversTable } from '../src/servers/servers-table.ts';

const NOW = Date.parse('2026-11-22T12:00:00.000Z');

const server = (name: string, parts: Partial<ServerResponse> = {}): ServerResponse => ({
  name,
  transport: 'http',
  source: 'file',
  state: 'up',
  namespace: name,
  tools: 3,
  trust: 'none',
  pin: false,
  isolation: 'none',
  processes: 0,
  pending: [],
  diverged: [],
  refused: [],
  left_out: [],
  ...{ prompts: 0, resources: 0, resource_templates: 0 },
  ...parts,
});

describe('the table of servers', () => {
  test('says where to name servers when there are none', () => {
    expect(serversTable([], NOW)).toBe(
      'There are no MCP servers: name them in a file, and start with --config FILE.\n',
    );
  });

  test('has a line for each server, in columns as wide as their widest cell', () => {
    const table = serversTable(
      [
        server('docs', {
          protocol_version: '2026-07-28',
          last_refresh: '2026-11-22T11:59:18.000Z',
          tools: 12,
        }),
        server('files', { transport: 'stdio', state: 'connecting', tools: 0 }),
      ],
      NOW,
    );
    expect(table).toBe(
      [
        'server  state       over   era         tools  read  stale  to approve  what is wrong',
        'docs    up          http   2026-07-28  12     42 s  -      -           -',
        'files   connecting  stdio  -           0      -     -      -           -',
        '',
      ].join('\n'),
    );
  });

  test.each([
    ['2026-11-22T12:00:00.000Z', '0 s'],
    ['2026-11-22T11:59:01.000Z', '59 s'],
    ['2026-11-22T11:59:00.000Z', '1 min'],
    ['2026-11-22T10:00:01.000Z', '1 h'],
    ['2026-11-22T10:00:00.000Z', '2 h'],
    ['2026-11-20T11:00:00.000Z', '2 d'],
    // The clocks of two machines differ.
    ['2026-11-22T12:00:09.000Z', '0 s'],
  ])('tells the age of %s in its largest unit: %s', (since, age) => {
    const table = serversTable([server('a', { stale_since: since })], NOW);
    expect(table).toContain(`  ${age}  `);
  });

  test('says all that is wrong with a server, and how many definitions wait', () => {
    const table = serversTable(
      [
        server('crm', {
          state: 'down',
          last_error: { code: 'unreachable', message: 'No connection (ECONNREFUSED).', at: '' },
          left_out: [
            { tool: 'bad\u001b[2J', reason: 'It has no name.' },
            { tool: 'worse', reason: 'Its name is listed twice.' },
          ],
          diverged: ['crm:find'],
          pending: [
            { id: 'crm:a', before: 'x', after: 'y', changed: [] },
            { id: 'crm:b', before: 'x', after: 'y', changed: ['description'] },
          ],
        }),
      ],
      NOW,
    );
    const [, line] = table.split('\n');
    expect(line).toMatch(/^crm {5}down /);
    expect(line).toMatch(
      / 2 {11}unreachable: No connection \(ECONNREFUSED\)\.; 2 left out \(bad\\u\{1b\}\[2J: It has no name\.\); 1 defined otherwise elsewhere$/,
    );
  });
});

import { expect, test } from 'vitest';
import { findTool } from '../src/front-door/describe-tools.ts';
import { FakeServer, openFakeWorld } from './fake-world.ts';

const inputSchema = { type: 'object' };

test.each(['搜索', 'получить_погоду', 'café'])(
  '%s is found, shown and called by its own name',
  async (name) => {
    const a = new FakeServer();
    a.tools = [
      { name, inputSchema },
      { name: '查找', inputSchema },
      { name: 'plain', inputSchema },
    ];
    const { clock, registry, servers } = await openFakeWorld({ a });
    await clock.pass(0);
    const page = await registry.search(name);
    expect(page).toMatchObject({ ok: true });
    expect(page.ok && page.tools[0]).toMatchObject({ title: name });
    const found = await findTool(registry, name);
    expect(found).toMatchObject({ kind: 'found', tool: { title: name } });
    const tool = found.kind === 'found' ? found.tool : undefined;
    expect(await servers.admit('a', tool!)).toBe(name);
    await servers.close();
  },
);

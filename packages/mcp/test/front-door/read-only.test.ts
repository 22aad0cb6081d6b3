import { describe, expect, test } from 'vitest';
import { makeFrontDoor, onServer, textOf } from './make-front-door.ts';

const READING = { annotations: { readOnlyHint: true } };

const TOOLS = [
  onServer('docs', 'read_page', READING),
  onServer('docs', 'write_page'),
  onServer('docs', 'delete_page', { annotations: { readOnlyHint: false } }),
  onServer('other', 'read_mail', READING),
];

async function readingDoor() {
  const { door, servers, registry } = await makeFrontDoor(TOOLS, { readsOnly: true });
  servers.trusted.add('docs');
  return { door, servers, registry };
}

const call = (name: string) => ({ name: 'call_tool', arguments: { name, arguments: {} } });

describe('a door that only reads', () => {
  test('R64: calls what a trusted server says that it only reads', async () => {
    const { door, servers } = await readingDoor();
    expect(await door.callTool(call('read_page'))).toMatchObject({ outcome: 'ok', server: 'docs' });
    expect(servers.received).toMatchObject([{ server: 'docs', tool: 'read_page' }]);
  });

  test.each([
    ['says nothing', 'write_page'],
    ['says that it writes', 'delete_page'],
    ['is not trusted', 'read_mail'],
  ])('R64: calls no tool whose server %s', async (_, name) => {
    const { door, servers } = await readingDoor();
    const end = await door.callTool(call(name));
    expect(end).toMatchObject({ outcome: 'not_read_only', result: { isError: true } });
    expect(textOf(end)).toMatch(
      /^not_read_only: .* was not called\. Only read-only tools can be called here.*Tell the user/,
    );
    expect(servers.received).toEqual([]);
  });

  test('gives an error instead of what asks back', async () => {
    const { door, servers } = await readingDoor();
    servers.answer = () => ({ resultType: 'input_required', inputRequests: {}, content: [] });
    const end = await door.callTool(call('read_page'));
    expect(end).toMatchObject({ outcome: 'input_required', result: { isError: true } });
    expect(textOf(end)).toMatch(/^input_required: .* no user can be asked here/);
  });

  test('R64: calls none under its own name either', async () => {
    const { door, servers } = await readingDoor();
    expect(await door.callTool({ name: 'docs__write_page', arguments: {} })).toMatchObject({
      outcome: 'not_read_only',
    });
    expect(servers.received).toEqual([]);
  });

  test('still finds and describes every tool, and lists three that say they only read', async () => {
    const { door } = await readingDoor();
    const tools = await door.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['search_tools', 'call_tool', 'describe_tools']);
    for (const { annotations } of tools) expect(annotations).toMatchObject({ readOnlyHint: true });
    expect(
      textOf(await door.callTool({ name: 'search_tools', arguments: { query: 'write_page' } })),
    ).toContain('docs__write_page');
  });

  test('has one calling tool, however others are called by the door to everything', async () => {
    const { door } = await makeFrontDoor(TOOLS, { readsOnly: true, dispatch: 'per_effect' });
    expect((await door.listTools()).map(({ name }) => name)).toEqual([
      'search_tools',
      'call_tool',
      'describe_tools',
    ]);
  });
});

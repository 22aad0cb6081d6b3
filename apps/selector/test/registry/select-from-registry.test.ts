import { noPause } from '@winnow/ranking';
import { expect, test } from 'vitest';
import { RegistryContent } from '../../src/registry-content.ts';
import { explainFromRegistry, selectFromRegistry } from '../../src/search-registry.ts';
import { listed } from './scripted-registry.ts';

const content = new RegistryContent();
content.put([
  listed('jira:create_issue', 'Create an issue in a project. It is assigned later.'),
  listed('github:create_issue', 'Create an issue in a repository.'),
  listed('slack:send_message', 'Send a message to a channel.'),
  listed('help', 'Show help.'),
]);

const select = (pattern: string, rest: { topK?: number; alwaysKeep?: string[]; namespace?: string } = {}) => {
  const { topK = 5, alwaysKeep = [], namespace } = rest;
  const query = { pattern, topK, alwaysKeep, searchType: 'auto' as const };
  return selectFromRegistry(content.view(namespace)!, query, noPause);
};

test('tools of one name in two namespaces are two tools, by the names that models call them by', async () => {
  expect((await select('create an issue')).names.toSorted()).toEqual([
    'github__create_issue',
    'jira__create_issue',
  ]);
});

test('a namespace limits what is found before anything is ranked', async () => {
  const selection = await select('create an issue', { namespace: 'jira', topK: 1 });
  expect(selection.names).toEqual(['jira__create_issue']);
  expect(selection.totalMatches).toBe(1);
  expect((await select('help', { namespace: 'jira' })).noMatch).toBe(true);
});

test.each(['slack__send_message', 'slack:send_message'])('%s in the pattern comes first', async (name) => {
  const { names, references } = await select(`create an issue, then ${name}`);
  expect(names[0]).toBe('slack__send_message');
  expect(references[0]).toMatchObject({ matchedOn: expect.arrayContaining(['exact_name']) });
});

test('tools to keep are named by id or name, and only if they are in the namespace', async () => {
  const kept = await select('create an issue', {
    topK: 2,
    alwaysKeep: ['help', 'slack:send_message', 'gone'],
  });
  expect(kept.names).toHaveLength(2);
  expect(kept.names[1]).toBe('help');
  expect(kept.keptLeftOut).toBe(1);
  expect((await select('create an issue', { namespace: 'jira', alwaysKeep: ['help'] })).names).toEqual([
    'jira__create_issue',
  ]);
});

test('a tool is found by what users have asked for', async () => {
  content.put([
    { ...listed('desk:open', 'Opens it.'), example_titles: ['my laptop is broken'] },
    { ...listed('desk:close', 'Closes it.'), definition: definitionWith({ 'x-examples': ['it is solved'] }) },
  ]);
  expect((await select('laptop broken', { namespace: 'desk' })).names).toEqual(['desk__open']);
  expect((await select('is it solved', { namespace: 'desk' })).names).toEqual(['desk__close']);
  content.remove(['desk:open', 'desk:close']);
});

const definitionWith = (more: object) => ({ name: 'close', inputSchema: { type: 'object' }, ...more });

test('a reference has the first sentence of the description', async () => {
  const { references } = await select('issue in a project', { topK: 1 });
  expect(references).toEqual([
    expect.objectContaining({
      name: 'jira__create_issue',
      score: 1,
      summary: 'Create an issue in a project.',
    }),
  ]);
});

test('a tool that goes while it is searched for is left out', async () => {
  const going = new RegistryContent();
  going.put([listed('a', 'Send mail.'), listed('b', 'Send mail too.')]);
  const view = going.view(undefined)!;
  going.remove(['a']);
  const query = { pattern: 'send mail', topK: 5, alwaysKeep: [], searchType: 'auto' as const };
  expect((await selectFromRegistry(view, query, noPause)).names).toEqual(['b']);
});

test('explains tools by id or name, and only those that are in sight', async () => {
  const explain = (namespace: string | undefined, names: string[]) =>
    explainFromRegistry(
      content.view(namespace)!,
      names,
      { pattern: 'issue repository', searchType: 'auto' },
      noPause,
    );
  expect(await explain(undefined, ['jira:create_issue', 'github__create_issue', 'gone'])).toMatchObject([
    { name: 'jira__create_issue', rank: 2, matched: ['issue'], missing: ['repository'] },
    { name: 'github__create_issue', rank: 1, score: 1, missing: [] },
  ]);
  expect(await explain('jira', ['github__create_issue', 'jira__create_issue'])).toMatchObject([
    { name: 'jira__create_issue', rank: 1 },
  ]);
});

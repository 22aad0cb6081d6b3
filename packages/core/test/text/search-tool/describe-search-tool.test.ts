import { describe, expect, test } from 'vitest';
import {
  describeDoorSearch,
  describeSearchTool,
  searchParameters,
} from '../../../src/text/search-tool/describe-search-tool.ts';
import { groupsLeftOut } from '../../../src/text/search-tool/list-groups.ts';

/** The part of the description that says what can be found. */
function groupsOf(names: readonly string[]): string {
  const { description } = describeSearchTool('search', names);
  return description.slice(description.indexOf('can be found: ') + 'can be found: '.length, -1);
}

test('names the groups of matches that the description leaves out', () => {
  const names = Array.from({ length: 45 }, (_, at) => {
    const server = `server-${String(at).padStart(2, '0')}-mcp`;
    return [`mcp__${server}__send`, `mcp__${server}__list`];
  }).flat();
  const matches = ['mcp__server-44-mcp__send', 'mcp__server-03-mcp__send', 'mcp__server-44-mcp__list'];
  expect(groupsOf(names)).toMatch(/03, .*and more$/);
  expect(groupsOf(names)).not.toContain('44');
  expect(groupsLeftOut(names)(matches)).toEqual(['44']);
  expect(groupsLeftOut(names.slice(0, 80))(matches)).toEqual([]);
  expect(groupsLeftOut([...names, 'lonely_tool', 'mail_a', 'mail_b'])(['lonely_tool', 'mail_b'])).toEqual([
    'lonely_tool',
    'mail',
  ]);
  const all = names.filter((name) => name.endsWith('send'));
  expect(groupsLeftOut(names)(all)).toHaveLength(5);
});

describe('the description of the search tool', () => {
  test('has the name, and asks for all needs at once, in short phrases', () => {
    expect(describeSearchTool('find_tools', ['a_b', 'c_d', 'a_b'])).toEqual({
      name: 'find_tools',
      description:
        'Finds tools that are available but not shown. Search before you conclude that something cannot be done with the tools shown. Ask at once for all that the task still needs, a short phrase each: verb and object ("create an issue"); if unsure, also in other words; if a group is meant, also beginning with its name; in English if the tools are. Found tools can be called directly. What can be found: a_b, c_d.',
    });
  });

  test('stays the same with one more tool of a group', () => {
    const names = ['mail_send', 'calendar_list', 'mail_list', 'whoami'];
    const described = (more: readonly string[] = []) =>
      describeSearchTool('search', [...names, ...more]).description;
    expect(described()).toContain('What can be found: calendar_list, mail, whoami.');
    expect(described()).not.toMatch(/\d/);
    expect(described(['mail_read', 'mail_drop', 'mail_send'])).toBe(described());
  });

  test('groups names by their first word, in the order of the labels', () => {
    expect(groupsOf(['mail_send', 'calendar_list', 'mail_list', 'calendar_add', 'mail_read', 'whoami'])).toBe(
      'calendar, mail, whoami',
    );
  });

  test.each([
    [['getWeather', 'getUser', 'putUser', 'putFile'], 'get, put'],
    [['git-log', 'git-push', 'web.search', 'web.fetch'], 'git, web'],
    [['HTTPGet', 'HTTPPut', 'ftp/get', 'ftp/put'], 'HTTP'],
    [['файл_открыть', 'файл_закрыть', 'почта', 'сеть'], 'почта, сеть, файл'],
  ])('knows the words of %j', (names, groups) => {
    expect(groupsOf(names)).toContain(groups);
  });

  test('looks after a word that most names begin with', () => {
    const names = [
      'mcp__github__list',
      'mcp__github__get',
      'mcp__slack__post',
      'mcp__slack__list',
      'mcp__slack__get',
    ];
    expect(groupsOf(names)).toBe('github, slack');
  });

  test.each([
    [['mcp__github-mcp-server__list', 'mcp__github-mcp-server__get', 'mcp__a__x', 'mcp__a__y'], 'a, github'],
    [['mcp__mcp_server_fetch__get', 'mcp__mcp_server_fetch__put', 'b.one', 'b.two'], 'b, fetch'],
    [['mcp-server__get', 'mcp-server__put', 'b.one', 'b.two'], 'b, mcp-server'],
    [
      ['sales', 'chat', 'support', 'talk'].flatMap((desk) => [
        `mcp__zendesk_${desk}__a`,
        `mcp__zendesk_${desk}__b`,
      ]),
      'zendesk_chat, zendesk_sales, zendesk_support, zendesk_talk',
    ],
    [['mcp__time__now', 'b.one', 'b.two'], 'b, mcp__time__now'],
  ])('names servers without the words that say nothing: %j', (names, groups) => {
    expect(groupsOf(names)).toBe(groups);
  });

  test('parts a server that has most tools by the words behind its name', () => {
    const names = ['issue_list', 'issue_get', 'branch_list', 'branch_get', 'search'].map(
      (name) => `mcp__github__${name}`,
    );
    expect(groupsOf([...names, 'mail_send', 'mail_list'])).toBe('branch, github, issue, mail');
  });

  test('does not part a group into single tools', () => {
    expect(groupsOf(['get_a', 'get_b', 'get_c', 'list'])).toBe('get, list');
  });

  test('is the same for the same tools in any order', () => {
    const names = ['b_1', 'a_1', 'b_2', 'a_2', 'c'];
    expect(describeSearchTool('x', names)).toEqual(describeSearchTool('x', names.toReversed()));
  });

  test('names the forty largest groups', () => {
    const names = Array.from({ length: 45 }, (_, index) => [`g${index}_a`, `g${index}_b`]).flat();
    const shown = groupsOf([...names, 'alone', 'big_a', 'big_b', 'big_c']).split(', ');
    expect(shown).toHaveLength(41);
    expect(shown).toContain('big');
    expect(shown).not.toContain('alone');
    expect(shown.at(-1)).toBe('and more');
  });

  test('takes names without any word', () => {
    expect(groupsOf(['___', '😀'])).toContain('___');
  });
});

test('the front door says how to search, and how found tools are called', () => {
  expect(describeDoorSearch('Call one with call_tool.')).toBe(
    'Finds tools that are available but not shown. Search before you conclude that something cannot be done with the tools shown. Ask at once for all that the task still needs, a short phrase each: verb and object ("create an issue"); if unsure, also in other words; if a group is meant, also beginning with its name; in English if the tools are. Gives names, what they do and their parameters. Call one with call_tool.',
  );
});

test('the queries come first among the parameters, and are the only required one', () => {
  expect(JSON.stringify(searchParameters({ limit: { type: 'integer' } }))).toBe(
    '{"type":"object","properties":{"queries":{"type":"array","items":{"type":"string"},"description":"One to four phrases."},"limit":{"type":"integer"}},"required":["queries"]}',
  );
});

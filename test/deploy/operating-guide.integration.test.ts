import { globSync } from 'node:fs';
import {
  LeaveReason,
  PlanReason,
  RestoreReason,
  RolloutArm,
  RolloutReason,
  SearchFailure,
} from '@winnow/core';
import { describe, expect, test } from 'vitest';
import { STORE_PROBLEMS } from '../../apps/proxy/src/sessions/guarded-link.ts';
import { ROOT, readText } from './compose-file.ts';
import { metricsOf } from './query-metrics.ts';
import { readServiceMetrics } from './service-metrics.ts';

/** A page of the operations guide. */
const pageOf = (name: string) => readText(`docs/operations/${name}.md`);
const guide = globSync('docs/operations/*.md', { cwd: ROOT }).map(readText).join('\n');

/** The part of a page under a heading, up to the next heading of the same rank. */
function chapter(page: string, heading: string): string {
  const text = pageOf(page);
  const start = text.indexOf(`\n${heading}\n`);
  expect(start).toBeGreaterThan(0);
  const rank = heading.slice(0, heading.indexOf(' '));
  const end = text.indexOf(`\n${rank} `, start + heading.length);
  return text.slice(start, end === -1 ? undefined : end);
}

/** The names in the first cells of a chapter's tables, for rows whose other cells all have text. */
function explained(text: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').slice(1, -1))
    .filter((cells) => cells.length > 1 && cells.every((cell) => cell.trim() !== ''))
    .flatMap(([first]) => [...first!.matchAll(/`([^`]+)`/g)].map((match) => match[1]!));
}

test('every metric is in the guide with what to do when it moves', async () => {
  const shared = explained(chapter('metrics', '## Of every service'));
  const chapters = { proxy: 'proxy', selector: 'selector', registry: 'registry', attach: 'attach service' };
  for (const [service, metrics] of Object.entries(await readServiceMetrics())) {
    const own = explained(chapter('metrics', `## Of the ${chapters[service as keyof typeof chapters]}`));
    const names = [...metrics.keys()].filter((name) => name.startsWith('winnow_'));
    expect(names.length).toBeGreaterThan(10);
    expect([...shared, ...own]).toEqual(expect.arrayContaining(names));
  }
});

test('the guide names no metric that does not exist', async () => {
  const all = Object.values(await readServiceMetrics());
  const named = [...guide.matchAll(/`((?:winnow|process|nodejs)_[a-z0-9_]+)/g)].map((match) => match[1]!);
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((name) => all.every((service) => !service.has(name)))).toEqual([]);
});

test('every fallback reason is in the guide with its cause and remedy', () => {
  const reasons = [...SearchFailure.options, ...RestoreReason.options, 'limit', 'plan_failed'];
  const known = explained(chapter('fallbacks', '## Fallback reasons'));
  // No client is left that could be shown everything.
  const fallbacks = reasons.filter((reason) => reason !== 'client_gone');
  expect(fallbacks.filter((reason) => !known.includes(reason))).toEqual([]);
  expect(known.filter((reason) => !fallbacks.includes(reason))).toEqual([]);
});

test('every reason to leave a request alone is in the guide', () => {
  const known = explained(chapter('fallbacks', '## Requests left alone'));
  expect(LeaveReason.options.filter((reason) => !known.includes(reason))).toEqual([]);
});

test.each([
  ['plan', PlanReason.options],
  ['arm', RolloutReason.options],
  ['restored exchange', RestoreReason.options],
])('every reason for a %s is in the description of records', (_, reasons) => {
  const page = readText('docs/reference/records.md') + pageOf('fallbacks');
  expect(reasons.filter((reason) => !new RegExp(`\\b${reason}\\b`).test(page))).toEqual([]);
});

test('every problem of a session store is in the guide with what to do', () => {
  const known = explained(chapter('redis', '## When Redis fails'));
  expect(STORE_PROBLEMS.filter((problem) => !known.includes(problem))).toEqual([]);
});

test('every event that a service logs is in the guide', () => {
  const paths = globSync('{apps/{proxy,selector,registry,attach},packages/{service,tracing}}/src/**/*.ts', {
    cwd: ROOT,
  });
  const sources = paths.map(readText).join('');
  // One of them is composed of a prefix and a state.
  const events = [...sources.matchAll(/\bevent: ['`](\w+)|\blog\.write\([^,]+, '(\w+)'/g)].map(
    ([, one, other]) => one ?? other!,
  );
  expect(new Set(events).size).toBeGreaterThan(6);
  const known = explained(pageOf('log-lines'));
  expect(events.filter((event) => !known.some((name) => name.startsWith(event)))).toEqual([]);
});

test('every step of the rollout has what to look at and how to go back', () => {
  const steps = pageOf('rollout')
    .split('\n')
    .filter((line) => line.startsWith('## Step'));
  const modes = [...RolloutArm.options, 'partial'];
  expect(steps.map((line) => line.split(': ')[1]).toSorted()).toEqual(modes.toSorted());
  for (const step of steps) {
    expect(chapter('rollout', step)).toMatch(/\*\*Look at\*\*|\bLook at\b/);
    expect(chapter('rollout', step)).toMatch(/\*\*Back\*\*/);
  }
});

describe('alerts', () => {
  test('and guide speak of the same metrics', () => {
    const expressions = [
      ...readText('deploy/prometheus/alerts.yml').matchAll(/expr: (?:\|\n)?((?:.|\n {10})+)/g),
    ];
    const names = expressions
      .flatMap((match) => metricsOf(match[1]!))
      .map((name) => name.replace(/_(bucket|sum|count)$/, ''));
    expect(names.length).toBeGreaterThan(10);
    expect([...new Set(names)].filter((name) => !guide.includes(name))).toEqual([]);
  });
});

import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { filledEnvironment, readComposeFile, readText } from './compose-file.ts';
import { headingAnchors } from './heading-anchors.ts';
import { metricsOf } from './query-metrics.ts';
import { type AllServiceMetrics, readServiceMetrics, type ServiceMetrics } from './service-metrics.ts';

const Target = z.object({ expr: z.string().min(1), datasource: z.object({ uid: z.string() }) });
const Panel = z.object({
  id: z.int(),
  type: z.enum(['row', 'timeseries', 'stat']),
  title: z.string().min(1),
  gridPos: z.object({ x: z.int(), y: z.int(), w: z.int().min(1), h: z.int().min(1) }),
  targets: z.array(Target).default([]),
});
const Dashboard = z.object({
  uid: z.literal('winnow'),
  templating: z.object({
    list: z.array(
      z.object({
        name: z.string(),
        type: z.enum(['datasource', 'query']),
        datasource: z.object({ uid: z.string() }).optional(),
        query: z.union([z.string(), z.object({ query: z.string() })]),
        allValue: z.string().optional(),
        current: z.object({ value: z.string() }),
      }),
    ),
  }),
  annotations: z.object({
    list: z.array(z.object({ expr: z.string(), datasource: z.object({ uid: z.string() }) })),
  }),
  panels: z.array(Panel).min(10),
});
const Rule = z.strictObject({
  alert: z.string().regex(/^Winnow[A-Z]\w+$/),
  expr: z.string(),
  for: z.string().optional(),
  labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
  annotations: z.strictObject({ summary: z.string().endsWith('.'), runbook: z.string() }),
});
const Rules = z.strictObject({
  groups: z.array(z.strictObject({ name: z.string(), rules: z.array(Rule) })),
});
const Scrapes = z.object({
  rule_files: z.array(z.string()),
  scrape_configs: z.array(
    z.object({
      job_name: z.string(),
      metrics_path: z.string(),
      authorization: z.object({ credentials_file: z.string() }).optional(),
      static_configs: z.array(z.object({ targets: z.array(z.string()) })).default([]),
      dns_sd_configs: z.array(z.object({ names: z.array(z.string()), port: z.int() })).default([]),
    }),
  ),
});

const dashboard = Dashboard.parse(JSON.parse(readText('deploy/grafana/dashboards/winnow.json')));
const rules = Rules.parse(parse(readText('deploy/prometheus/alerts.yml'))).groups.flatMap(
  (group) => group.rules,
);
const scrapes = Scrapes.parse(parse(readText('deploy/prometheus/prometheus.yml')));
const { services } = readComposeFile(filledEnvironment());

let metrics: AllServiceMetrics;
beforeAll(async () => {
  metrics = await readServiceMetrics();
});

/** Prometheus itself provides `up`. */
const isKnown = (name: string) =>
  name === 'up' ||
  Object.values(metrics).some((all: ServiceMetrics) => [...all.values()].flat().includes(name));

const queries = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => [title, expr] as const),
);

describe('the dashboard', () => {
  test('reads only metrics that a service shows', () => {
    const unknown = queries.flatMap(([title, expression]) =>
      metricsOf(expression)
        .filter((name) => !isKnown(name))
        .map((name) => `${title}: ${name}`),
    );
    expect(unknown).toEqual([]);
    expect(queries.filter(([, expression]) => metricsOf(expression).length === 0)).toEqual([]);
  });

  test('shows every metric of Winnow', () => {
    const shown = new Set(queries.flatMap(([, expression]) => metricsOf(expression)));
    const own = Object.values(metrics)
      .flatMap((all: ServiceMetrics) => [...all])
      .filter(([name]) => name.startsWith('winnow_'));
    expect(own.length).toBeGreaterThan(20);
    expect(own.filter(([, series]) => !series.some((one) => shown.has(one))).map(([name]) => name)).toEqual(
      [],
    );
  });

  test('draws no panel over another, and gives each an id of its own', () => {
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(Math.max(...dashboard.panels.map(({ gridPos: { x, w } }) => x + w))).toBeLessThanOrEqual(24);
  });

  test('asks the data source that is chosen, at first the one that is provisioned', () => {
    const source = parse(readText('deploy/grafana/provisioning/datasources/winnow.yml'));
    const [chosen, ...others] = dashboard.templating.list;
    expect(chosen).toMatchObject({
      name: 'datasource',
      type: 'datasource',
      query: 'prometheus',
      current: { value: source.datasources[0].uid },
    });
    const asked = [
      ...others.map(({ datasource }) => datasource?.uid),
      ...dashboard.annotations.list.map(({ datasource }) => datasource.uid),
      ...dashboard.panels.flatMap(({ targets }) => targets.map(({ datasource }) => datasource.uid)),
    ];
    expect(new Set(asked)).toEqual(new Set(['$'.concat('{datasource}')]));
  });

  test('asks the jobs that are chosen, whatever they are called, and no others', () => {
    const variables = dashboard.templating.list.filter(({ name }) => name.endsWith('_job'));
    expect(variables.map(({ name }) => name)).toEqual([
      'proxy_job',
      'selector_job',
      'registry_job',
      'attach_job',
    ]);
    // "All" covers only jobs with such a service: other jobs also report process metrics.
    expect(variables.filter(({ allValue }) => allValue !== undefined)).toEqual([]);
    const named = [...queries, ['starts', dashboard.annotations.list[0]!.expr] as const];
    expect(named.filter(([, expression]) => /job=~?"winnow/.test(expression))).toEqual([]);
    const withoutJob = named.flatMap(([title, expression]) =>
      [...expression.matchAll(/\b(?:winnow|process|nodejs)_\w+(\{[^}]*\})?/g)]
        .filter(([, labels = '']) => !/job=~"\$\w+_job/.test(labels))
        .map(([metric]) => `${title}: ${metric}`),
    );
    expect(withoutJob).toEqual([]);
  });

  test('fills its lists from metrics that exist', () => {
    for (const { type, query } of dashboard.templating.list) {
      if (type === 'datasource' || typeof query === 'string') continue;
      const [, metric] = /^label_values\((\w+)(?:\{[^}]*\})?, (?:instance|job)\)$/.exec(query.query)!;
      expect(isKnown(metric!), metric).toBe(true);
    }
    const starts = metricsOf(dashboard.annotations.list[0]!.expr);
    expect(starts.filter((name) => !isKnown(name))).toEqual([]);
  });
});

describe('alerts', () => {
  test.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s reads metrics that exist',
    (_, { expr }) => {
      expect(metricsOf(expr)).not.toEqual([]);
      expect(metricsOf(expr).filter((name) => !isKnown(name))).toEqual([]);
    },
  );

  test.each(rules.map((rule) => [rule.alert, rule] as const))(
    '%s names a page of the guide, and a chapter of it that exists',
    (_, rule) => {
      const [file, anchor] = rule.annotations.runbook.split('#');
      expect(file).toMatch(/^docs\/(?:operations|reference)\/[a-z-]+\.md$/);
      if (anchor !== undefined) expect(headingAnchors(readText(file!))).toContain(anchor);
      else expect(readText(file!)).toMatch(/^# /);
    },
  );

  test('are loaded', () => {
    expect(scrapes.rule_files).toEqual(['alerts.yml']);
  });
});

describe('Prometheus', () => {
  test('asks every service that has metrics, at its port', () => {
    const targets = scrapes.scrape_configs.flatMap(({ static_configs, dns_sd_configs: byName }) => [
      ...static_configs.flatMap((one) => one.targets),
      ...byName.flatMap(({ names, port }) => names.map((name) => `${name}:${port}`)),
    ]);
    const built = Object.entries(services).filter(([, { build }]) => build);
    const ports: Record<string, number> = { proxy: 8787, selector: 8788, registry: 8789, attach: 8790 };
    const expected = built.map(([name, { build }]) => `${name}:${ports[build!.target]}`);
    expect(targets.toSorted()).toEqual(expected.toSorted());
  });

  test.each([
    ['selector', 'TOOL_DISCOVERY_API_KEY'],
    ['registry', 'REGISTRY_METRICS_TOKEN'],
    ['attach', 'ATTACH_SERVER_TOKENS'],
  ])('shows the %s the token that its container writes down', (name, variable) => {
    const scrape = scrapes.scrape_configs.find(({ job_name }) => job_name === `winnow-${name}`)!;
    const file = scrape.authorization!.credentials_file;
    const { command, environment, tmpfs } = services.prometheus!;
    // The first of several tokens.
    const shown = name === 'attach' ? `\${${variable}%%,*}` : `$${variable}`;
    expect(command![0]).toContain(`printf %s "${shown}" > ${file}`);
    expect(environment).toHaveProperty(variable);
    expect(tmpfs).toEqual(['/tmp']);
  });
});

describe('names of metrics in a query', () => {
  test.each([
    ['sum by (arm) (rate(a_total{arm="full", x=~"b_total|c"}[5m])) > 0', ['a_total']],
    ['histogram_quantile(0.95, sum by (le, stage) (rate(a_bucket[$__rate_interval])))', ['a_bucket']],
    ['a / on (instance) group_left (job) b or c unless d', ['a', 'b', 'c', 'd']],
    ['1 - sum(increase(a_total[$__range])) / 1e9', ['a_total']],
  ])('of %s are %j', (expression, names) => {
    expect(metricsOf(expression)).toEqual(names);
  });
});

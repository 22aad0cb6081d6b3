import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings as readAttachSettings } from '@winnow/attach';
import { readConfig } from '@winnow/proxy';
import { readSettings } from '@winnow/selector';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readText } from './compose-file.ts';
import { commandOf, environmentOf, readStages } from './dockerfile.ts';
import { type Deployment, type Manifest, readManifests } from './kubernetes-file.ts';

const manifests = readManifests(readText('deploy/kubernetes/winnow.yaml'));
const ofKind = <Kind extends Manifest['kind']>(kind: Kind) =>
  manifests.filter((one): one is Extract<Manifest, { kind: Kind }> => one.kind === kind);
const deployments = ofKind('Deployment');
const deploymentOf = (name: string) =>
  deployments.find(({ metadata }) => metadata.name === `winnow-${name}`)!;
const podOf = (name: string) => deploymentOf(name).spec.template.spec;
const stageOf = (name: string) => readStages().find((stage) => stage.name === name)!;

/** The hook that keeps a pod serving until no more requests are sent to it. */
const WAITS_10_S = { preStop: { exec: { command: ['node', '-e', 'setTimeout(() => {}, 10000)'] } } };

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'winnow-kubernetes-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** The variables of a container, with invented secrets. */
function variablesOf({ spec }: Deployment): Record<string, string> {
  const { env } = spec.template.spec.containers[0]!;
  return Object.fromEntries(env.map(({ name, value }) => [name, value ?? `secret-of-${name.toLowerCase()}`]));
}

test('there is what a team runs, and no two things of one kind have one name', () => {
  const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  expect(new Set(names).size).toBe(names.length);
  expect(names.toSorted()).toEqual([
    'ConfigMap winnow-proxy',
    'Deployment winnow-proxy',
    'Deployment winnow-selector',
    'HorizontalPodAutoscaler winnow-proxy',
    'HorizontalPodAutoscaler winnow-selector',
    'NetworkPolicy winnow-selector',
    'PodDisruptionBudget winnow-proxy',
    'PodDisruptionBudget winnow-selector',
    'Service winnow-proxy',
    'Service winnow-selector',
  ]);
});

describe.each(['proxy', 'selector'])('the %s', (name) => {
  const [container] = podOf(name).containers;

  test('is found by its deployment, service, budget and scaling', () => {
    const { selector, template } = deploymentOf(name).spec;
    const own = template.metadata.labels;
    const service = ofKind('Service').find(({ metadata }) => metadata.name === `winnow-${name}`)!;
    const budget = ofKind('PodDisruptionBudget').find(({ metadata }) => metadata.name === `winnow-${name}`)!;
    for (const wanted of [selector.matchLabels, service.spec.selector, budget.spec.selector.matchLabels]) {
      expect(own).toMatchObject(wanted);
      expect(wanted['app.kubernetes.io/component']).toBe(name);
    }
    const scaling = ofKind('HorizontalPodAutoscaler').find(
      ({ metadata }) => metadata.name === `winnow-${name}`,
    )!;
    expect(scaling.spec.scaleTargetRef.name).toBe(`winnow-${name}`);
    expect(scaling.spec.minReplicas).toBeGreaterThanOrEqual(2);
  });

  test('listens where its image does, and its probes and service ask there', () => {
    const exposed = stageOf(name).instructions.find((one) => one.name === 'EXPOSE')!.rest;
    expect(container!.ports[0]!.containerPort).toBe(Number(exposed));
    const service = ofKind('Service').find(({ metadata }) => metadata.name === `winnow-${name}`)!;
    expect(service.spec.ports[0]!.port).toBe(Number(exposed));
    const health = commandOf(stageOf(name), 'HEALTHCHECK').join(' ');
    expect(health).toContain(` ${container!.readinessProbe.httpGet.path}`);
    expect(container!.livenessProbe.httpGet.path).toMatch(/healthz$/);
  });
});

describe('settings', () => {
  test('of the proxy exist and fit together', () => {
    const file = join(folder, 'winnow.yaml');
    writeFileSync(file, ofKind('ConfigMap')[0]!.data['winnow.yaml']!);
    const environment = { ...environmentOf(stageOf('proxy')), ...variablesOf(deploymentOf('proxy')) };
    const outcome = readConfig({ file, environment });
    expect(outcome).toMatchObject({
      ok: true,
      config: {
        settings: {
          'server.host': '0.0.0.0',
          'rollout.mode': 'off',
          'records.file': 'none',
          'tools.api.endpoint': 'http://winnow-selector:8788/v1/tool-discovery/search',
        },
      },
    });
    const { settings } = outcome.ok ? outcome.config : expect.unreachable();
    const stopMs = settings['server.drain_delay'] + settings['server.drain_timeout'];
    // The last records, observations and traces have some seconds each.
    expect(podOf('proxy').terminationGracePeriodSeconds * 1_000).toBeGreaterThanOrEqual(stopMs + 10_000);
    expect(podOf('proxy').containers[0]!.args).toEqual([
      ...commandOf(stageOf('proxy'), 'CMD'),
      '--config',
      '/etc/winnow/winnow.yaml',
    ]);
  });

  test('of the selector exist and fit together', () => {
    const variables = variablesOf(deploymentOf('selector'));
    const outcome = readSettings({ ...environmentOf(stageOf('selector')), ...variables });
    const { drainTimeoutMs } = outcome.ok ? outcome.settings : expect.unreachable();
    const [container] = podOf('selector').containers;
    expect(container!.lifecycle).toEqual(WAITS_10_S);
    const graceMs = podOf('selector').terminationGracePeriodSeconds * 1_000;
    expect(graceMs).toBeGreaterThan(10_000 + drainTimeoutMs);
  });

  test('take the same secret on both sides', () => {
    const keyOf = (name: string, variable: string) =>
      podOf(name).containers[0]!.env.find((one) => one.name === variable)!.valueFrom!.secretKeyRef;
    expect(keyOf('proxy', 'PROXY_TOOLS_API_API_KEY')).toEqual(keyOf('selector', 'SELECTOR_SERVER_TOKENS'));
  });
});

test('only proxies reach the selector, and it reaches no other service', () => {
  const [policy] = ofKind('NetworkPolicy');
  expect(deploymentOf('selector').spec.template.metadata.labels).toMatchObject(
    policy!.spec.podSelector.matchLabels,
  );
  expect(policy!.spec).toMatchObject({ policyTypes: ['Ingress', 'Egress'], egress: [] });
  const [from] = policy!.spec.ingress[0]!.from;
  expect(deploymentOf('proxy').spec.template.metadata.labels).toMatchObject(from!.podSelector.matchLabels);
  expect(from!.podSelector.matchLabels['app.kubernetes.io/component']).toBe('proxy');
});

describe('attach', () => {
  const own = readManifests(readText('deploy/kubernetes/attach.yaml'));
  const deployment = own.find((one): one is Deployment => one.kind === 'Deployment')!;
  const { template, replicas, strategy, selector } = deployment.spec;
  const [container] = template.spec.containers;

  test('is one instance, which is gone before the next one comes, and found by its service', () => {
    expect(own.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
      'Service winnow-attach',
      'Deployment winnow-attach',
    ]);
    expect([replicas, strategy]).toEqual([1, { type: 'Recreate' }]);
    const service = own.find((one) => one.kind === 'Service')!;
    for (const wanted of [selector.matchLabels, service.spec.selector])
      expect(template.metadata.labels).toMatchObject(wanted);
    expect(selector.matchLabels['app.kubernetes.io/component']).toBe('attach');
    const names = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(own.filter(({ kind, metadata }) => names.includes(`${kind} ${metadata.name}`))).toEqual([]);
  });

  test('listens where its image does, and its probes and service ask there', () => {
    const exposed = stageOf('attach').instructions.find((one) => one.name === 'EXPOSE')!.rest;
    expect(container!.ports[0]!.containerPort).toBe(Number(exposed));
    const service = own.find((one) => one.kind === 'Service')!;
    expect(service.spec.ports[0]!.port).toBe(Number(exposed));
    const health = commandOf(stageOf('attach'), 'HEALTHCHECK').join(' ');
    expect(health).toContain(` ${container!.readinessProbe.httpGet.path}`);
    expect(container!.livenessProbe.httpGet.path).toBe('/healthz');
  });

  test('has settings that exist, and time for what it finishes', () => {
    const outcome = readAttachSettings({
      ...environmentOf(stageOf('attach')),
      ...variablesOf(deployment),
    });
    const { drainTimeoutMs, lettaBaseUrl } = outcome.ok ? outcome.settings : expect.unreachable();
    expect(lettaBaseUrl).toBe('http://letta:8283');
    expect(container!.lifecycle).toEqual(WAITS_10_S);
    expect(template.spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(10_000 + drainTimeoutMs);
  });
});

test('chart and images have the version of the packages', () => {
  const { version } = JSON.parse(readText('package.json')) as { version: string };
  expect(readText('deploy/helm/winnow/Chart.yaml')).toContain(`\nappVersion: ${version}\n`);
  const images = deployments.map(({ spec }) => spec.template.spec.containers[0]!.image);
  expect(images).toEqual([`winnow-proxy:${version}`, `winnow-selector:${version}`]);
  expect(readText('deploy/kubernetes/attach.yaml')).toContain(`image: winnow-attach:${version}\n`);
});

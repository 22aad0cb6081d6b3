/**
 * @module-tag helm
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from '@winnow/registry-app';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ROOT, readText } from './compose-file.ts';
import { environmentOf, readStages } from './dockerfile.ts';
import { readManifests } from './kubernetes-file.ts';

const CHART = 'deploy/helm/winnow';
/** Helm contacts no cluster here; without this it would assume the version it was built with. */
const VERSION = ['--kube-version', '1.31.0'];

const helm = (...args: string[]) =>
  execFileSync('helm', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' });

const render = (...set: string[]) =>
  helm('template', 'winnow', CHART, ...VERSION, ...set.flatMap((one) => ['--set', one]));

/** Removes the labels that name Helm as the manager. */
function plain(text: string): unknown[] {
  const values = parseAllDocuments(text.replaceAll(/^ *app\.kubernetes\.io\/managed-by: Helm\n/gm, ''));
  return values.map((document) => document.toJS() as unknown).filter((value) => value !== null);
}

describe('the chart', () => {
  test('is found to be good by helm lint', () => {
    expect(helm('lint', '--strict', ...VERSION, CHART)).toContain('0 chart(s) failed');
  });

  test('gives the plain manifests', () => {
    expect(plain(render())).toEqual(plain(readText('deploy/kubernetes/winnow.yaml')));
  });

  test('adds the plain manifests of attach if it is enabled', () => {
    const enabled = ['attach.enabled=true', 'attach.lettaBaseUrl=http://letta:8283'];
    const isOwn = (one: unknown) => JSON.stringify(one).includes('"name":"winnow-attach"');
    const all = plain(render(...enabled));
    expect(all.filter(isOwn)).toEqual(plain(readText('deploy/kubernetes/attach.yaml')));
    expect(all.filter((one) => !isOwn(one))).toEqual(plain(render()));
    const shared = render(...enabled, 'attach.redis=true', 'attach.replicas=3');
    expect(shared).toContain('key: ATTACH_REDIS_URL');
    expect(shared).toContain('\n  replicas: 3\n');
    expect(shared).not.toContain('Recreate');
    expect(() => render('attach.enabled=true')).toThrow(/attach\.lettaBaseUrl is needed/);
  });

  test('takes sessions in Redis, a registry of images, and a fixed number of instances', () => {
    const text = render('redis=true', 'image.registry=registry.example/team', 'networkPolicy.enabled=false');
    const deployment = readManifests(text).find(({ kind }) => kind === 'Deployment')!;
    expect(JSON.stringify(deployment)).toContain('"image":"registry.example/team/winnow-proxy:');
    expect(text).toContain('key: REDIS_URL');
    expect(text).not.toContain('NetworkPolicy');
    const fixed = render('proxy.autoscaling.enabled=false', 'proxy.replicas=3');
    expect(
      plain(fixed).filter((one) => (one as { kind: string }).kind === 'HorizontalPodAutoscaler'),
    ).toHaveLength(1);
    expect(fixed).toContain('\n  replicas: 3\n');
  });

  test('runs the registry with a volume, or several over Postgres, with the tokens of the Secret', () => {
    const own = (text: string) =>
      readManifests(text).filter(({ metadata }) => metadata.name === 'winnow-registry');
    const one = own(render('registry.enabled=true', 'registry.volume.storageClass=fast'));
    expect(one.map(({ kind }) => kind)).toEqual(['ConfigMap', 'Service', 'StatefulSet']);
    const { replicas, template, volumeClaimTemplates } = one.find(
      (each) => each.kind === 'StatefulSet',
    )!.spec;
    const [claim] = volumeClaimTemplates;
    expect([replicas, claim.spec.storageClassName, claim.spec.resources.requests.storage]).toEqual([
      1,
      'fast',
      '1Gi',
    ]);
    const [container] = template.spec.containers;
    expect(container!.volumeMounts).toContainEqual({
      name: claim.metadata.name,
      mountPath: '/var/lib/winnow',
    });
    const secrets = container!.env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef.key ?? []);
    expect(secrets.toSorted()).toEqual([
      'REGISTRY_ADMIN_TOKEN',
      'REGISTRY_METRICS_TOKEN',
      'SELECTOR_REGISTRY_TOKEN',
    ]);
    const several = own(render('registry.enabled=true', 'registry.store=postgres', 'registry.replicas=3'));
    expect(several.map(({ kind }) => kind).toSorted()).toEqual([
      'ConfigMap',
      'Deployment',
      'PodDisruptionBudget',
      'Service',
    ]);
    const { spec } = several.find((each) => each.kind === 'Deployment')!;
    expect(spec.replicas).toBe(3);
    expect(JSON.stringify(spec)).toContain('"key":"REGISTRY_POSTGRES_URL"');
    expect(JSON.stringify(spec)).not.toContain('/var/lib/winnow');
  });

  test('gives the registry settings that exist, and a tokens file that it reads', () => {
    const folder = mkdtempSync(join(tmpdir(), 'winnow-chart-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const manifests = readManifests(render('registry.enabled=true', 'tls.secretName=winnow-tls'));
    const stateful = manifests.find((each) => each.kind === 'StatefulSet')!;
    const config = manifests.find(
      (each) => each.kind === 'ConfigMap' && each.metadata.name === 'winnow-registry',
    ) as { data: Record<string, string> };
    const file = join(folder, 'tokens.yaml');
    writeFileSync(file, config.data['tokens.yaml']!);
    const [container] = stateful.spec.template.spec.containers;
    const variables = Object.fromEntries(
      container!.env.map(({ name, value }) => [name, value ?? `secret-of-${name.toLowerCase()}`]),
    );
    const image = environmentOf(readStages().find(({ name }) => name === 'registry')!);
    const outcome = readSettings({ ...image, ...variables, REGISTRY_TOKENS_FILE: file });
    expect(outcome).toMatchObject({ ok: true });
    const { drainTimeoutMs } = outcome.ok ? outcome.settings : expect.unreachable();
    const graceMs = stateful.spec.template.spec.terminationGracePeriodSeconds * 1_000;
    expect(graceMs).toBeGreaterThan(10_000 + drainTimeoutMs);
  });

  test('lets the selector follow the registry, and open no other connection', () => {
    const egressOf = (text: string) =>
      readManifests(text).find((each) => each.kind === 'NetworkPolicy')!.spec.egress;
    expect(egressOf(render())).toEqual([]);
    const [registry, names, ...others] = egressOf(render('registry.enabled=true'));
    expect(registry!.to![0]!.podSelector.matchLabels['app.kubernetes.io/component']).toBe('registry');
    expect([registry!.ports, names!.ports.map(({ port }) => port), others]).toEqual([
      [{ port: 8789, protocol: 'TCP' }],
      [53, 53],
      [],
    ]);
  });

  test('lets clients outside reach upstreams and the registry, and nothing of /_winnow/', () => {
    const ingresses = (...set: string[]) =>
      readManifests(render(...set)).filter((each) => each.kind === 'Ingress');
    expect(ingresses()).toEqual([]);
    const [proxy, ...others] = ingresses(
      'ingress.proxyHost=llm.example.com',
      'ingress.className=nginx',
      'ingress.tlsSecretName=llm-tls',
      'proxy.config.upstreams.vllm.base_url=http://vllm:8000/v1',
    );
    expect(others).toEqual([]);
    expect(proxy!.spec).toMatchObject({
      ingressClassName: 'nginx',
      tls: [{ hosts: ['llm.example.com'], secretName: 'llm-tls' }],
      rules: [{ host: 'llm.example.com' }],
    });
    const paths = proxy!.spec.rules[0].http.paths.map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['/v1', '/v1beta', '/api', '/model', '/vllm']));
    expect(paths.filter((path) => '/_winnow/metrics'.startsWith(path))).toEqual([]);
    expect(() => render('ingress.proxyHost=a.example', 'ingress.paths={/}')).toThrow(/paths/);
    const [registry] = ingresses('registry.enabled=true', 'ingress.registryHost=tools.example.com');
    expect(registry!.spec.rules[0].http.paths).toMatchObject([
      { path: '/', backend: { service: { name: 'winnow-registry' } } },
    ]);
    expect(() => render('ingress.registryHost=tools.example.com')).toThrow(/needs registry.enabled/);
  });

  test('speaks TLS at every pod, and asks the selector by it', () => {
    const all = ['registry.enabled=true', 'attach.enabled=true', 'attach.lettaBaseUrl=http://letta:8283'];
    const manifests = readManifests(
      render(...all, 'ingress.proxyHost=llm.example.com', 'tls.secretName=winnow-tls'),
    );
    const workloads = manifests.filter((each) => each.kind === 'Deployment' || each.kind === 'StatefulSet');
    expect(workloads.map(({ metadata }) => metadata.name).toSorted()).toEqual([
      'winnow-attach',
      'winnow-proxy',
      'winnow-registry',
      'winnow-selector',
    ]);
    for (const { metadata, spec } of workloads) {
      const { containers, volumes } = spec.template.spec;
      const { env, volumeMounts, livenessProbe, readinessProbe } = containers[0]!;
      const prefix = metadata.name.replace('winnow-', '').toUpperCase();
      expect(env).toContainEqual({ name: `${prefix}_SERVER_TLS_FOLDER`, value: '/etc/winnow-tls' });
      expect(volumeMounts).toContainEqual({ name: 'tls', mountPath: '/etc/winnow-tls', readOnly: true });
      expect(volumes).toContainEqual({ name: 'tls', secret: { secretName: 'winnow-tls' } });
      expect([livenessProbe.httpGet.scheme, readinessProbe.httpGet.scheme]).toEqual(['HTTPS', 'HTTPS']);
    }
    const text = JSON.stringify(manifests);
    expect(text).toContain('https://winnow-selector:8788/v1/tool-discovery/search');
    expect(text).toContain('{"name":"PROXY_CLIENT_TLS_FOLDER","value":"/etc/winnow-tls"}');
    expect(text).toContain('"prometheus.io/scheme":"https"');
    expect(text).toContain('"nginx.ingress.kubernetes.io/backend-protocol":"HTTPS"');
  });

  test('starts other proxies when the configuration changes', () => {
    const hashOf = (text: string) => /winnow\/config: (\w+)/.exec(text)![1];
    expect(hashOf(render('proxy.config.rollout.mode=full'))).not.toBe(hashOf(render()));
  });

  test('refuses values that it does not know', () => {
    expect(() => render('proxi.replicas=3')).toThrow(/proxi/);
  });
});

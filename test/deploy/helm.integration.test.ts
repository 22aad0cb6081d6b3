/**
 * @module-tag helm
 */
import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { ROOT, readText } from './compose-file.ts';
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

  test('starts other proxies when the configuration changes', () => {
    const hashOf = (text: string) => /winnow\/config: (\w+)/.exec(text)![1];
    expect(hashOf(render('proxy.config.rollout.mode=full'))).not.toBe(hashOf(render()));
  });

  test('refuses values that it does not know', () => {
    expect(() => render('proxi.replicas=3')).toThrow(/proxi/);
  });
});

import { describe, expect, test } from 'vitest';
import { filledEnvironment, readComposeFile, readText } from './compose-file.ts';

const { services } = readComposeFile(filledEnvironment());

/** Values of a key in a unit file. */
function valuesOf(unit: string, key: string): readonly string[] {
  return [...unit.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map((match) => match[1]!);
}

describe.each([
  ['selector', 'selector'],
  ['proxy', 'proxy-1'],
  ['registry', 'registry'],
  ['attach', 'attach'],
])('the unit of the %s', (name, container) => {
  const unit = readText(`deploy/systemd/winnow-${name}.service`);
  const service = services[container]!;

  test('starts what the container starts', () => {
    expect(valuesOf(unit, 'ExecStart')).toEqual([`/usr/bin/${service.command!.join(' ')}`]);
  });

  test('gives it as long to drain, and as much memory', () => {
    expect(valuesOf(unit, 'TimeoutStopSec')).toEqual([service.stop_grace_period]);
    expect(valuesOf(unit, 'MemoryMax')).toEqual([service.mem_limit.toUpperCase()]);
  });

  test('takes away what it can do without', () => {
    for (const line of [
      'DynamicUser=yes',
      'ProtectSystem=strict',
      'NoNewPrivileges=yes',
      'CapabilityBoundingSet=',
    ]) {
      expect(unit.split('\n')).toContain(line);
    }
  });

  test('is not started again and again with settings that are not allowed', () => {
    expect(valuesOf(unit, 'RestartPreventExitStatus')).toEqual(['2']);
  });
});

test('records of a proxy go to the one folder that its unit lets it write to', () => {
  const unit = readText('deploy/systemd/winnow-proxy.service');
  expect(valuesOf(unit, 'StateDirectory')).toEqual(['winnow']);
  expect(unit).toContain('PROXY_RECORDS_FILE=/var/lib/winnow/');
});

test('tools of a registry go to the one folder that its unit lets it write to', () => {
  const unit = readText('deploy/systemd/winnow-registry.service');
  expect(valuesOf(unit, 'StateDirectory')).toEqual(['winnow-registry']);
  expect(unit).toContain('REGISTRY_SQLITE_FILE=/var/lib/winnow-registry/');
});

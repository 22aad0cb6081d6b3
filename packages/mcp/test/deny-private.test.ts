import { describe, expect, test } from 'vitest';
import { isAnyPrivate, isPrivateAddress } from '../src/servers/bounded-fetch.ts';

describe('addresses', () => {
  test.each([
    ['127.0.0.1', true],
    ['10.1.2.3', true],
    ['172.31.255.255', true],
    ['172.32.0.1', false],
    ['169.254.169.254', true],
    ['::1', true],
    ['::ffff:10.0.0.1', true],
    ['fd00::1', true],
    ['93.184.215.14', false],
    ['2606:2800:21f:cb07:6820:80da:af6b:8b2c', false],
    ['localhost', true],
  ])('R57: %s is private: %s', (address, isPrivate) => {
    expect(isPrivateAddress(address)).toBe(isPrivate);
  });

  test('R57: a name is refused when any of its addresses is private', () => {
    const at = (...addresses: string[]) => isAnyPrivate(addresses.map((address) => ({ address })));
    expect(at('93.184.215.14', '10.0.0.1')).toBe(true);
    expect(at('93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c')).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import { isLoopback, reachableUrl } from '../src/addresses.ts';

describe('isLoopback', () => {
  it.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('knows %s', (host) => {
    expect(isLoopback(host)).toBe(true);
  });

  it.each(['0.0.0.0', '::', '10.0.0.1', 'example.com', '127.0.0.1.example.com'])(
    'does not trust %s',
    (host) => {
      expect(isLoopback(host)).toBe(false);
    },
  );
});

describe('reachableUrl', () => {
  it.each([
    ['http://0.0.0.0:8788', 'http://127.0.0.1:8788'],
    ['https://[::]:8788', 'https://[::1]:8788'],
    ['http://10.0.0.1:8788', 'http://10.0.0.1:8788'],
  ])('makes of %s %s', (url, reachable) => {
    expect(reachableUrl(url)).toBe(reachable);
  });
});

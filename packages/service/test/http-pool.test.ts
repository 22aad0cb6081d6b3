import { expect, test } from 'vitest';
import { httpProxiesOf } from '../src/http-pool.ts';

const LOCAL = 'localhost,127.0.0.1,::1';

test.each([
  [{ HTTPS_PROXY: 'http://p:1' }, { httpProxy: '', httpsProxy: 'http://p:1', noProxy: LOCAL }],
  [
    { http_proxy: 'p:1', NO_PROXY: 'a,b' },
    { httpProxy: 'http://p:1', httpsProxy: '', noProxy: `${LOCAL},a,b` },
  ],
  [{ ALL_PROXY: 'http://p:1' }, { httpProxy: 'http://p:1', httpsProxy: 'http://p:1', noProxy: LOCAL }],
  [{ ALL_PROXY: 'socks5://p:1' }, undefined],
  [{ HTTPS_PROXY: '' }, undefined],
  [{}, undefined],
])('HTTP proxies of %o', (environment, proxies) => {
  expect(httpProxiesOf(environment)).toEqual(proxies);
});

test('an invalid address of a proxy is refused, by the name of its variable alone', () => {
  expect(() => httpProxiesOf({ HTTPS_PROXY: 'http://me:secret@:x' })).toThrow(
    'HTTPS_PROXY must be the address of a proxy, such as http://proxy:3128.',
  );
});

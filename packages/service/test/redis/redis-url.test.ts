import { describe, expect, it } from 'vitest';
import { describeHosts, parseRedisUrl, type RedisAddress } from '../../src/redis/redis-url.ts';

const PLAIN: RedisAddress = {
  kind: 'single',
  isTls: false,
  hosts: [{ host: 'h', port: 6379 }],
  user: undefined,
  password: undefined,
  database: 0,
  primaryName: '',
  sentinelUser: undefined,
  sentinelPassword: undefined,
};

describe('parseRedisUrl', () => {
  it.each<[string, Partial<RedisAddress>]>([
    ['redis://h', {}],
    ['valkey://h/', {}],
    ['rediss://h:1234', { isTls: true, hosts: [{ host: 'h', port: 1234 }] }],
    ['valkeys://h', { isTls: true }],
    ['redis://h/15', { database: 15 }],
    ['redis://:secret@h', { password: 'secret' }],
    ['redis://user:secret@h', { user: 'user', password: 'secret' }],
    ['redis://us%65r:%2F%3A%40%25%3F%23%C3%BC@h', { user: 'user', password: '/:@%?#ü' }],
    ['redis://:a:b@h', { password: 'a:b' }],
    ['redis://:a@b@h', { password: 'a@b' }],
    ['redis://[::1]:7', { hosts: [{ host: '::1', port: 7 }] }],
    ['redis://[fe80::1.2.3.4]', { hosts: [{ host: 'fe80::1.2.3.4', port: 6379 }] }],
    [
      'redis+sentinel://a,b:7,c/mymaster',
      {
        kind: 'sentinel',
        primaryName: 'mymaster',
        hosts: [
          { host: 'a', port: 26379 },
          { host: 'b', port: 7 },
          { host: 'c', port: 26379 },
        ],
      },
    ],
    [
      'rediss+sentinel://:p@h/my%20master/2?sentinel_username=u&sentinel_password=q%26=r',
      {
        kind: 'sentinel',
        isTls: true,
        hosts: [{ host: 'h', port: 26379 }],
        password: 'p',
        primaryName: 'my master',
        database: 2,
        sentinelUser: 'u',
        sentinelPassword: 'q&=r',
      },
    ],
    [
      'redis+cluster://u:p@a:1,[::1]:2',
      {
        kind: 'cluster',
        user: 'u',
        password: 'p',
        hosts: [
          { host: 'a', port: 1 },
          { host: '::1', port: 2 },
        ],
      },
    ],
  ])('reads %s', (url, expected) => {
    expect(parseRedisUrl(url)).toEqual({ ok: true, address: { ...PLAIN, ...expected } });
  });

  it.each([
    ['http://:secret@h', /must begin with redis:/],
    ['redis:/h', /must begin with redis:/],
    ['redis://', /must name hosts/],
    ['redis://:secret@', /must name hosts/],
    ['redis://h:0', /must name hosts/],
    ['redis://h:65536', /must name hosts/],
    ['redis://h:port', /must name hosts/],
    ['redis://::1', /must name hosts/],
    ['redis://h,', /must name hosts/],
    ['redis://:secret/more@h', /write \/ as %2F/],
    ['redis://:secret?more@h', /write \/ as %2F/],
    ['redis://:secret#more@h', /%23/],
    ['redis://:secret more@h', /%20/],
    ['redis://:secret%zz@h', /write a % itself as %25/],
    ['redis://:secret%@h', /write a % itself as %25/],
    ['redis://secret@h', /a user without a password/],
    ['redis://a,b', /several hosts/],
    ['redis://h/one', /not the number of a database/],
    ['redis://h/65536', /not the number of a database/],
    ['redis://h/1/2', /not the number of a database/],
    ['redis://h?db=1', /after a \?/],
    ['redis+sentinel://h', /primary's name/],
    ['redis+sentinel://h/', /primary's name/],
    ['redis+sentinel://h/m/x', /not the number of a database/],
    ['redis+sentinel://h/m?password=secret', /after a \?/],
    ['redis+cluster://h/1', /a cluster has only database 0/],
    ['redis+cluster://h?sentinel_password=secret', /after a \?/],
  ])('says what is wrong with %s, without its password', (url, problem) => {
    const outcome = parseRedisUrl(url);
    expect(outcome).toMatchObject({ ok: false, problem: expect.stringMatching(problem) });
    expect(JSON.stringify(outcome)).not.toContain('secret');
  });
});

describe('describeHosts', () => {
  it('names hosts and ports alone', () => {
    expect(
      describeHosts([
        { host: 'a', port: 1 },
        { host: '::1', port: 2 },
      ]),
    ).toBe('a:1,[::1]:2');
  });
});

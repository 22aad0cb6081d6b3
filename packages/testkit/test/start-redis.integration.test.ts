/**
 * @module-tag redis
 */
import { existsSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type RedisServerOptions, startRedis } from '../src/start-redis.ts';

async function start(options: RedisServerOptions = {}) {
  const server = await startRedis(options);
  onTestFinished(() => server.close());
  return server;
}

describe('startRedis', () => {
  it('starts a server that answers, each on a port of its own', async () => {
    const [one, other] = [await start(), await start()];
    expect(await one.ask('SET', 'k', 'grün')).toBe('+OK\r\n');
    expect(await one.ask('GET', 'k')).toBe('$5\r\ngrün\r\n');
    expect(await other.ask('GET', 'k')).toBe('$-1\r\n');
  });

  it('asks with the password that it was given', async () => {
    const server = await start({ password: 'secret' });
    expect(await server.ask('PING')).toBe('+PONG\r\n');
  });

  it('starts a server again on its port, empty', async () => {
    const server = await start();
    await server.ask('SET', 'k', 'v');
    await server.kill();
    await expect(server.ask('PING')).rejects.toThrow('ECONNREFUSED');
    await server.start();
    expect(await server.ask('DBSIZE')).toBe(':0\r\n');
  });

  it('holds a paused server until it is resumed', async () => {
    const server = await start();
    server.pause();
    const asked = server.ask('PING');
    const silence = new Promise((resolve) => setTimeout(resolve, 100, 'silence'));
    expect(await Promise.race([asked, silence])).toBe('silence');
    server.resume();
    expect(await asked).toBe('+PONG\r\n');
  });

  it('starts a Sentinel', async () => {
    const primary = await start();
    const sentinel = await start({
      isSentinel: true,
      config: [`sentinel monitor it 127.0.0.1 ${primary.port} 1`],
    });
    expect(await sentinel.ask('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'it')).toContain(`${primary.port}`);
  });

  it('says so when a server does not take its configuration', async () => {
    await expect(startRedis({ config: ['nonsense yes'] })).rejects.toThrow('is its configuration right?');
  });

  it('leaves nothing behind, paused or not', async () => {
    const server = await startRedis();
    server.pause();
    await server.close();
    expect(existsSync(server.folder)).toBe(false);
    await expect(server.ask('PING')).rejects.toThrow('ECONNREFUSED');
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ExchangeRecord } from '@winnow/core';
import { readConfig, startProxy, systemEffects } from '@winnow/proxy';
import {
  answer,
  DEFER_ANYTHING,
  type Model,
  type ScriptEntry,
  say,
  startUpstream,
  type Upstream,
} from '@winnow/testkit';
import { findFreePort, runProcess } from '../deploy/run-process.ts';

/** A gateway and Winnow between a client and a scripted provider. */
export interface Topology {
  /** The address that clients call, without a path. */
  readonly url: string;
  readonly provider: Upstream;
  /** The provider's next responses. */
  readonly script: ScriptEntry[];
  /** Winnow's records. */
  readonly records: ExchangeRecord[];
  /** Returns the requests to models that the provider has received since the last call. */
  readonly received: () => Upstream['requests'];
  readonly stop: () => Promise<void>;
}

/** The files of a gateway and of Winnow, with addresses as the guide has them. */
export interface TopologyOptions {
  readonly place: 'in front' | 'behind';
  /** The gateway's command, given its configuration file and port. */
  readonly command: (file: string, port: number) => readonly string[];
  /** Its environment, given the address of the next hop. */
  readonly environment: (next: string) => Readonly<Record<string, string>>;
  /** Says on its output that it listens. */
  readonly listens: RegExp;
  /** Writes the gateway's files into a folder, given the address of the next hop, and returns the configuration file. */
  readonly write: (folder: string, next: string, port: number) => string;
  /** Starts a server between the gateway and the next hop, such as one that ends TLS. */
  readonly between?: (next: string) => Promise<{ readonly url: string; readonly stop: () => Promise<void> }>;
  /** Winnow's settings file, given the address of the gateway behind it. */
  readonly winnow: (next: string) => string;
  /** Winnow's environment, given the address of the next hop. */
  readonly winnowEnvironment?: (next: string) => Readonly<Record<string, string>>;
  /** Responds once the script is used up; the provider then answers requests that a real one would refuse, too. */
  readonly model?: Model;
}

/** Starts a provider, Winnow and a gateway, which is a process of its own. */
export async function startTopology(options: TopologyOptions): Promise<Topology> {
  const script: ScriptEntry[] = [];
  const records: ExchangeRecord[] = [];
  const stops: (() => Promise<unknown>)[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'winnow-topology-'));
  stops.push(async () => rmSync(folder, { recursive: true, force: true }));
  const provider = await startUpstream({
    isLenient: options.model !== undefined,
    model: (conversation, request) => {
      const next = script.shift() ?? options.model?.(conversation, request);
      return (
        (typeof next === 'function' ? next(request) : next) ?? answer([say('Nothing is left of the script.')])
      );
    },
  });
  stops.push(() => provider.close());
  const startGateway = async (last: string): Promise<string> => {
    const between = await options.between?.(last);
    if (between) stops.push(between.stop);
    const { url: next } = between ?? { url: last };
    const port = await findFreePort();
    const command = options.command(options.write(folder, next, port), port);
    const environment = { HOME: folder, ...options.environment(next) };
    const gateway = runProcess({ command, environment, folder });
    stops.push(gateway.kill);
    await gateway.says(options.listens);
    return `http://127.0.0.1:${port}`;
  };
  const startWinnow = async (next: string): Promise<string> => {
    const file = join(folder, 'winnow.yaml');
    writeFileSync(file, options.winnow(next));
    const environment = {
      PROXY_SERVER_PORT: '0',
      PROXY_SERVER_DRAIN_TIMEOUT: '0s',
      PROXY_RECORDS_FILE: 'none',
      PROXY_SERVER_MAX_BODY: '6MiB',
      PROXY_TOOLS_STRATEGY: 'tool-search',
      ...DEFER_ANYTHING,
      ...options.winnowEnvironment?.(next),
    };
    const outcome = readConfig({ file, environment });
    if (!outcome.ok) throw new Error(outcome.problems.join(' '));
    const proxy = await startProxy(outcome.config, {
      ...systemEffects(() => {}),
      writeLog: (text) => keepRecords(text, records),
    });
    stops.push(() => proxy.close());
    return proxy.url;
  };
  const start = async (): Promise<string> =>
    options.place === 'in front'
      ? startGateway(await startWinnow(provider.url))
      : startWinnow(await startGateway(provider.url));
  const stop = async () => {
    for (const end of stops.reverse()) await end();
  };
  let seen = 0;
  try {
    const url = await start();
    return {
      ...{ url, provider, script, records, stop },
      received: () => {
        const news = provider.requests.slice(seen).filter(({ method }) => method === 'POST');
        seen = provider.requests.length;
        return news;
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function keepRecords(lines: string, records: ExchangeRecord[]): void {
  for (const line of lines.split('\n').filter(Boolean)) {
    const parsed = JSON.parse(line) as ExchangeRecord;
    if (parsed.event === 'exchange') records.push(parsed);
  }
}

import {
  createSdkConnector,
  type McpServers,
  NO_SERVERS,
  openServers,
  readEntry,
  type ServerAdministration,
  type ServerEntry,
  type ServersObserver,
} from '@winnow/mcp';
import type { Registry, ServerTerms } from '@winnow/registry';
import type { Log } from '@winnow/service';
import { VERSION } from '../version.ts';

/** Parts of {@link TenantServers}. */
export interface TenantServersParts {
  readonly entries: readonly ServerEntry[];
  readonly log: Log;
  readonly now: () => number;
  readonly wallClock: () => number;
  readonly random: () => number;
  readonly after: (delayMs: number, call: () => void) => () => void;
  readonly pause: () => Promise<void>;
  /** Whether several tokens can call the tools of a tenant: then servers keep their state apart by default. */
  readonly hasSeveralCallers: (tenant: string) => boolean;
}

/** The most lines of a server's output that are logged in a minute. */
const MOST_LINES = 200;

/** The MCP servers that fill the registries, by tenant. */
export class TenantServers {
  readonly #parts: TenantServersParts;
  readonly #byTenant = new Map<string, ServerAdministration>();

  constructor(parts: TenantServersParts) {
    this.#parts = parts;
  }

  /** Starts a tenant's servers without waiting for them. Rejects if their stored state cannot be read. */
  async open(tenant: string, registry: Registry): Promise<void> {
    const { entries, log, now, wallClock, random, after, pause } = this.#parts;
    const connector = createSdkConnector({
      clientInfo: { name: 'winnow-registry', version: VERSION },
      after,
      onServerOutput: this.#tellOutput(),
    });
    const servers = await openServers({
      entries: entries.filter((entry) => entry.tenant === tenant),
      registry,
      connector,
      now,
      wallClock,
      random,
      after,
      pause,
      defaultIsolation: () => (this.#parts.hasSeveralCallers(tenant) ? 'token' : 'none'),
      observer: this.#observe(),
      readSource: (name, source) => {
        const outcome = readEntry(name, source, name, sourceReading(tenant));
        return outcome.ok ? outcome.entry : undefined;
      },
      onNoteFailure: (error) => log.write('warn', 'mcp_note_lost', { error: String(error) }),
    });
    this.#byTenant.set(tenant, servers);
  }

  /** Logs what processes of servers write in addition to their messages: of each server, so many lines a minute. */
  #tellOutput(): (server: string, line: string) => void {
    const { log, now } = this.#parts;
    const minutes = new Map<string, { readonly since: number; lines: number }>();
    return (server, line) => {
      let minute = minutes.get(server);
      if (minute === undefined || now() - minute.since >= 60_000) minute = { since: now(), lines: 0 };
      minutes.set(server, minute);
      if (++minute.lines <= MOST_LINES) log.write('info', 'mcp_output', { server, line });
    };
  }

  /** The servers of a tenant; none as long as they are not open. */
  of(tenant: string): McpServers {
    return this.#byTenant.get(tenant) ?? NO_SERVERS;
  }

  /** Returns the administration of a tenant's servers; undefined until they are open. */
  administrationOf(tenant: string): ServerAdministration | undefined {
    return this.#byTenant.get(tenant);
  }

  staleSince(tenant: string, server: string): number | undefined {
    return this.#byTenant.get(tenant)?.staleSince(server);
  }

  /** Returns the terms on which a server's tools are registered and called. */
  termsOf(tenant: string, server: string): ServerTerms | undefined {
    return this.#byTenant.get(tenant)?.termsOf(server);
  }

  /** Whether a server is of the configuration file. */
  isConfigured(tenant: string, server: string): boolean {
    return this.#parts.entries.some((entry) => entry.tenant === tenant && entry.name === server);
  }

  /** Servers of all tenants in some state. */
  count(status: string): number {
    const states = [...this.#byTenant.values()].flatMap((servers) => servers.states());
    return states.filter((state) => state.status === status).length;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byTenant.values()].map((servers) => servers.close()));
  }

  #observe(): ServersObserver {
    const { log } = this.#parts;
    return {
      onRefresh({ server, durationMs, code, message, changed }) {
        if (code === undefined) {
          if (changed > 0) log.write('info', 'mcp_refresh', { server, changed, durationMs });
        } else log.write('warn', 'mcp_refresh_failed', { server, code, error: message ?? '', durationMs });
      },
      onPending: (server, tools) =>
        log.write('warn', 'mcp_definitions_changed', { server, tools: tools.slice(0, 100) }),
      onLeftOut: (server, leftOut) =>
        log.write('warn', 'mcp_tools_left_out', {
          server,
          tools: leftOut.length,
          first: leftOut[0]?.reason ?? '',
        }),
      onRefused: (server, tools) =>
        log.write('warn', 'mcp_tools_refused', {
          server,
          tools: tools.slice(0, 100).map(({ id, reason }) => `${id}: ${reason}`),
        }),
      onLost: (server, reason) => log.write('warn', 'mcp_connection_lost', { server, error: reason }),
    };
  }
}

/** Returns the permissions of a server added over HTTP: no commands, and the tenant of the caller. */
export function sourceReading(tenant: string) {
  return { environment: undefined, allowsCommands: false, tenant } as const;
}

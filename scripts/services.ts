/** Instructions to start the process of a service. */
export interface ServiceProgram {
  readonly program: URL;
  readonly nodeOptions?: readonly string[];
}

/** All services, by their names on the command line. */
export const SERVICES = {
  selector: { program: new URL('../apps/selector/src/main.ts', import.meta.url) },
  proxy: {
    program: new URL('../apps/proxy/src/main.ts', import.meta.url),
    nodeOptions: ['--max-semi-space-size=16'],
  },
  attach: { program: new URL('../apps/attach/src/main.ts', import.meta.url) },
  registry: { program: new URL('../apps/registry/src/main.ts', import.meta.url) },
} as const satisfies Readonly<Record<string, ServiceProgram>>;

export type ServiceName = keyof typeof SERVICES;

/** The services that start by default. */
export const USUAL_SERVICES: readonly ServiceName[] = ['selector', 'proxy'];

/** Settings for sampling and exporting traces. */
export interface TracingSettings {
  /** The URL to post spans to, as OTLP in protobuf over HTTP. */
  readonly url: string;
  readonly sampler: SamplerName;
  /** The share of traces that ratio-based samplers record. */
  readonly ratio: number;
  /** Files with the exporter's authority, certificate and key, by their options of `tls.connect`. */
  readonly certificates?: Readonly<Record<string, string>>;
}

/** The samplers of the specification that need no further configuration. */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof SAMPLERS)[number];

/**
 * Settings, undefined if tracing is off; or all problems with them, one sentence each, naming the variable.
 */
export type TracingOutcome =
  | { readonly ok: true; readonly tracing: TracingSettings | undefined }
  | { readonly ok: false; readonly problems: readonly string[] };

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the standard OpenTelemetry variables that its Node SDK leaves to the program. The SDK itself reads
 * headers, timeouts, compression and certificates (`OTEL_EXPORTER_OTLP_…`), `OTEL_SERVICE_NAME` and
 * `OTEL_RESOURCE_ATTRIBUTES`.
 *
 * Without an endpoint, or if tracing is switched off, the other variables are not checked: they may be meant
 * for other programs.
 *
 * Source: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export function readTracingSettings(environment: Environment): TracingOutcome {
  const endpoint = endpointOf(environment);
  const isOff =
    environment.OTEL_SDK_DISABLED?.toLowerCase() === 'true' ||
    environment.OTEL_TRACES_EXPORTER === 'none' ||
    endpoint === undefined;
  if (isOff) return { ok: true, tracing: undefined };
  const sampler = environment.OTEL_TRACES_SAMPLER || 'parentbased_always_on';
  const ratio = environment.OTEL_TRACES_SAMPLER_ARG || '1';
  const problems = [
    ...problemOf(isHttpUrl(endpoint.url), `${endpoint.variable} must be an http or https address.`),
    ...unspokenProtocols(environment),
    ...problemOf(isSampler(sampler), `OTEL_TRACES_SAMPLER must be one of ${SAMPLERS.join(', ')}.`),
    ...problemOf(RATIO.test(ratio), 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.'),
  ];
  if (problems.length > 0) return { ok: false, problems };
  const files = Object.entries(CERTIFICATES).flatMap(([option, name]) => {
    const path =
      environment[`OTEL_EXPORTER_OTLP_TRACES_${name}`] || environment[`OTEL_EXPORTER_OTLP_${name}`];
    return path ? [[option, path] as const] : [];
  });
  const tracing = { url: endpoint.url, sampler: sampler as SamplerName, ratio: Number(ratio) };
  return {
    ok: true,
    tracing: { ...tracing, ...(files.length > 0 && { certificates: Object.fromEntries(files) }) },
  };
}

/** Variables of files, by their options of `tls.connect`. */
const CERTIFICATES = { ca: 'CERTIFICATE', cert: 'CLIENT_CERTIFICATE', key: 'CLIENT_KEY' } as const;

const RATIO = /^(0(\.\d+)?|\.\d+|1(\.0+)?)$/;

/** Returns the endpoint. The variable for traces holds the complete URL; the general one lacks the path. */
function endpointOf(environment: Environment): { variable: string; url: string } | undefined {
  const own = environment.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT;
  if (own) return { variable: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', url: own };
  const base = environment.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (!base) return undefined;
  return { variable: 'OTEL_EXPORTER_OTLP_ENDPOINT', url: `${base.replace(/\/+$/, '')}/v1/traces` };
}

function unspokenProtocols(environment: Environment): string[] {
  const variables = ['OTEL_EXPORTER_OTLP_PROTOCOL', 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] as const;
  const isSpoken = (protocol: string | undefined) => !protocol || protocol === 'http/protobuf';
  // The variable for traces takes precedence, so a wrong general one does not matter.
  const [general, own] = variables;
  const decisive = environment[own] ? own : general;
  return problemOf(isSpoken(environment[decisive]), `${decisive} must be http/protobuf.`);
}

function problemOf(isRight: boolean, problem: string): string[] {
  return isRight ? [] : [problem];
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}

function isSampler(name: string): name is SamplerName {
  return SAMPLERS.some((sampler) => sampler === name);
}

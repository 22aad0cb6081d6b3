import type { Environment, Signing } from './redirect.ts';

/**
 * Whether the proxy can serve clients of AWS: they send a bearer key, or the proxy can sign again with the keys
 * of the environment, or requests are not signed at all. Without any of these, clients are left alone, because
 * their signatures are valid only for AWS's own addresses.
 */
export function canSign(environment: Environment): boolean {
  return (
    sendsBearer(environment) ||
    Boolean(environment.AWS_ACCESS_KEY_ID && environment.AWS_SECRET_ACCESS_KEY) ||
    signsNothing(environment)
  );
}

/** Returns the scope in which requests to an address are signed; undefined if they are not. */
export function signingOf(environment: Environment, { host }: URL, service: string): Signing | undefined {
  if (sendsBearer(environment) || signsNothing(environment)) return undefined;
  const [, inHost] = /\.([a-z]{2}[a-z0-9-]*-\d+)\./.exec(host) ?? [];
  const region = inHost || awsRegion(environment) || 'us-east-1';
  return { region, service };
}

/**
 * Returns the region of an environment; undefined without one, and in partitions whose addresses have other
 * endings.
 */
export function awsRegion({ AWS_REGION, AWS_DEFAULT_REGION }: Environment): string | undefined {
  const region = AWS_REGION || AWS_DEFAULT_REGION || '';
  return /^(?!cn-|us-iso|eu-iso|eusc-)[a-z]{2}[a-z0-9-]*-\d+$/.test(region) ? region : undefined;
}

/** Clients of Bedrock prefer this key to signing. */
function sendsBearer(environment: Environment): boolean {
  return Boolean(environment.AWS_BEARER_TOKEN_BEDROCK);
}

/** Claude Code does not sign for a gateway that does: https://code.claude.com/docs/en/llm-gateway. */
function signsNothing({ CLAUDE_CODE_SKIP_BEDROCK_AUTH: skips }: Environment): boolean {
  return Boolean(skips);
}

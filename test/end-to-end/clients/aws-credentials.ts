import type { SignedService } from './test-client.ts';

/** Bedrock at its own hosts, and the hosts with OpenAI's and Anthropic's formats. */
export const BEDROCK: SignedService = { upstream: 'bedrock', service: 'bedrock' };
export const MANTLE_OPENAI: SignedService = { upstream: 'openai', service: 'bedrock-mantle' };
export const MANTLE_ANTHROPIC: SignedService = { upstream: 'anthropic', service: 'bedrock-mantle' };

/** The clients' credentials, which the proxy has as well, to verify signatures. */
export const AWS_CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG' };
export const AWS_REGION = 'eu-central-1';

/** The same in the form of the vendor's own clients. */
export const CLIENT_CREDENTIALS = { region: AWS_REGION, credentials: AWS_CREDENTIALS };

/** Settings of a proxy that signs with them. */
export function signingSettings(
  upstream: SignedService['upstream'],
  service: string,
): Record<string, string> {
  return {
    [`PROXY_UPSTREAMS_${upstream.toUpperCase()}_AUTH`]: `sigv4:${AWS_REGION}/${service}`,
    AWS_ACCESS_KEY_ID: AWS_CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: AWS_CREDENTIALS.secretAccessKey,
  };
}

/** The signature that an upstream requires. */
export function signingOf(service: string) {
  return { ...AWS_CREDENTIALS, region: AWS_REGION, service };
}

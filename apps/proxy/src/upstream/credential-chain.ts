import type { AwsCredentials } from '../signing/aws-signature.ts';
import type { CredentialSource } from '../signing/read-signing.ts';

/** Finds a module by its name. Rejects when it is not installed. */
export type ImportModule = (name: string) => Promise<unknown>;

/** The vendor's own package, which finds profiles, roles, and what the machine is given. It is no dependency: who wants it installs it. */
export const CHAIN_PACKAGE = '@aws-sdk/credential-provider-node';

/**
 * Credentials by the vendor's own chain, if its package is installed. It is loaded when they are asked for first; it remembers them itself, and asks
 * again before they are no longer good. What it fails with goes to `onFailure`, and says nothing secret.
 */
export function credentialChain(
  onFailure: (error: unknown) => void,
  importModule: ImportModule = (name) => import(name),
): CredentialSource {
  let provider: Promise<() => Promise<AwsCredentials>> | undefined;
  return async () => {
    try {
      provider ??= importModule(CHAIN_PACKAGE).then((module) => (module as ChainModule).defaultProvider());
      return await (await provider)();
    } catch (error) {
      onFailure(error);
      return undefined;
    }
  };
}

/** As much of the package as is used. Source: @aws-sdk/credential-provider-node 3.972. */
interface ChainModule {
  defaultProvider(): () => Promise<AwsCredentials>;
}

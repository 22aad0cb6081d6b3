import type { AwsCredentials } from '../signing/aws-signature.ts';
import type { CredentialSource } from '../signing/read-signing.ts';

/** Imports a module by name. Rejects if it is not installed. */
export type ImportModule = (name: string) => Promise<unknown>;

/**
 * The vendor's package that finds profiles, roles and machine credentials. It is optional: operators who need
 * it install it.
 */
const CHAIN_PACKAGE = '@aws-sdk/credential-provider-node';

/**
 * Returns a source of credentials from the vendor's own chain, if its package is installed. The package loads
 * on first use; it caches credentials and renews them before they expire. Errors go to `onFailure`; their
 * messages may hold secrets.
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

/** The part of the package that is used. Source: @aws-sdk/credential-provider-node 3.972. */
interface ChainModule {
  defaultProvider(): () => Promise<AwsCredentials>;
}

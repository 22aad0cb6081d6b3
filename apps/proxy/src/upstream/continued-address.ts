import { CREDENTIAL_PARAMETERS } from '@winnow/wire';
import type { HeadersByName } from '../http/headers.ts';
import type { Target } from './choose-upstream.ts';

/**
 * Returns a response's headers with addresses at the upstream replaced by the proxy's own, such as the address
 * of a resumable upload, where the client sends its next requests.
 *
 * Only for clients without a key of their own: at the upstream itself, they would send what the proxy replaces,
 * and the address may hold the operator's key. The proxy is addressed as the client addressed it.
 */
export function withOwnAddresses(
  headers: string[],
  { headers: asked, isSecure = false }: { readonly headers: HeadersByName; readonly isSecure?: boolean },
  { upstream }: Pick<Target, 'upstream'>,
): string[] {
  const { vendor, auth, name, origin } = upstream;
  const names = vendor.addressHeaders ?? [];
  const { host, 'x-forwarded-proto': forwarded } = asked;
  if (names.length === 0 || auth.kind === 'forward' || typeof host !== 'string') return headers;
  const scheme = isSecure || /^https\b/i.test(String(forwarded ?? '')) ? 'https' : 'http';
  return headers.map((value, at) => {
    if (at % 2 === 0 || !names.includes(headers[at - 1]!.toLowerCase())) return value;
    const address = URL.parse(value);
    if (address?.origin !== origin) return value;
    for (const parameter of [...address.searchParams.keys()]) {
      const isOwn = 'name' in auth && parameter === auth.name;
      if (isOwn || CREDENTIAL_PARAMETERS.includes(parameter.toLowerCase()))
        address.searchParams.delete(parameter);
    }
    return `${scheme}://${host}/${name}${address.pathname}${address.search}`;
  });
}

import { decodePercent } from '@winnow/core';

/**
 * Variables by which programs learn how to reach the network: proxies, and certificate authorities of a company's own. `npx` and `uvx` fetch
 * nothing without them, and agents pass them on.
 *
 * Sources: https://nodejs.org/api/cli.html#environment-variables, https://docs.astral.sh/uv/reference/environment,
 * https://docs.openssl.org/master/man7/openssl-env, https://requests.readthedocs.io/en/latest/user/advanced
 */
const NETWORK_VARIABLES = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]),
  ...['NODE_USE_ENV_PROXY', 'NODE_USE_SYSTEM_CA', 'NODE_EXTRA_CA_CERTS'],
  ...['SSL_CERT_FILE', 'SSL_CERT_DIR', 'REQUESTS_CA_BUNDLE', 'CURL_CA_BUNDLE', 'PIP_CERT'],
];

/** Returns the network variables that an environment sets. */
export function networkVariables(
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    NETWORK_VARIABLES.flatMap((name) => {
      const value = environment[name];
      return value ? [[name, value]] : [];
    }),
  );
}

/**
 * Names and passwords in addresses of proxies, both as written and decoded: `http://me:p%40ss@proxy:3128`, and
 * without the scheme.
 */
export function proxyCredentials(variables: Readonly<Record<string, string>>): readonly string[] {
  return Object.values(variables).flatMap((value) => {
    const userinfo = /^(?:\w+:\/\/)?([^/]*)@/.exec(value)?.[1];
    if (userinfo === undefined) return [];
    const colon = userinfo.indexOf(':');
    const parts = colon === -1 ? [userinfo] : [userinfo, userinfo.slice(0, colon), userinfo.slice(colon + 1)];
    return [...new Set(parts.flatMap((part) => [part, decodePercent(part)]))];
  });
}

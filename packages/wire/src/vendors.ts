import { rememberBy } from './remember-by.ts';
import { anthropic } from './vendors/anthropic.ts';
import { bedrock } from './vendors/bedrock.ts';
import { gemini } from './vendors/gemini.ts';
import { ollama } from './vendors/ollama.ts';
import { openai } from './vendors/openai.ts';
import type { Vendor, VendorCloud } from './vendors/vendor.ts';

/** Every vendor with known conventions; the first is the default. */
const LITERALS = [openai, anthropic, gemini, ollama, bedrock] as const;

/** The name of a vendor in settings. */
export type VendorName = (typeof LITERALS)[number]['name'];

/** Every vendor, in the order in which their built-in upstreams are listed. */
export const VENDORS: readonly (Vendor & { readonly name: VendorName })[] = LITERALS;

const [first, ...others] = LITERALS;

/** Their names, in the same order. */
export const VENDOR_NAMES: readonly [VendorName, ...VendorName[]] = [
  first.name,
  ...others.map(({ name }) => name),
];

/** Returns the vendor of this name. */
export function vendorNamed(name: VendorName): Vendor {
  return VENDORS.find((vendor) => vendor.name === name)!;
}

/** Header names in which any client may send a credential, in lower case. */
export const CREDENTIAL_HEADERS: readonly string[] = [
  ...new Set(VENDORS.flatMap(({ credentialHeaders }) => credentialHeaders)),
];

/**
 * Query parameters in which any client may send a credential, in lower case: those of the vendors, and those
 * of servers that speak like them, such as Azure's gateways.
 */
export const CREDENTIAL_PARAMETERS: readonly string[] = [
  ...new Set([
    ...VENDORS.flatMap(({ credentialParameters = [] }) => credentialParameters),
    ...['api-key', 'api_key', 'apikey'],
  ]),
];

/** Starts of WebSocket subprotocols in which any client may send a credential. */
export const CREDENTIAL_PROTOCOLS: readonly string[] = VENDORS.flatMap(
  ({ credentialProtocol }) => credentialProtocol ?? [],
);

/**
 * The first segments of vendors' paths. An upstream with such a name could not be reached by it, so only the
 * vendors' own upstreams have them.
 */
export const PATH_ROOTS: readonly string[] = [
  ...new Set(
    VENDORS.flatMap(({ ownPaths, sharedPaths = [] }) => [...ownPaths, ...sharedPaths])
      .map((path) => path.split('/', 2)[1]!)
      .filter((segment) => !VENDOR_NAMES.includes(segment as VendorName)),
  ),
];

/**
 * Returns the cloud that serves a vendor's API at this origin; undefined when no known one does. An origin
 * with plain HTTP does not prove its identity.
 */
export function cloudOf({ clouds = [] }: Vendor, origin: string): VendorCloud | undefined {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'https:' ? clouds.find(({ host }) => host.test(hostname)) : undefined;
}

/** Whether the vendor's documentation of load modes applies to the server at this origin. */
export const documentsLoadModes = rememberBy(
  (vendor: Vendor, origin: string): boolean =>
    vendor.origins.includes(origin) || cloudOf(vendor, origin)?.hasLoadModes === true,
);

/** The parts of a request's head that identify its client's vendor. */
export interface VendorSigns {
  /** The path without the query string. */
  readonly path: string;
  /** Returns the value of a header by its lower-case name; undefined when there is none. */
  readonly header: (name: string) => string | undefined;
}

/** Returns the vendor that owns this path; undefined when none does. */
export function vendorOfPath(path: string): Vendor | undefined {
  return VENDORS.find(({ ownPaths }) => isBelow(path, ownPaths));
}

function isBelow(path: string, roots: readonly string[]): boolean {
  return roots.some(
    (root) => path.startsWith(root) && (path.length === root.length || path[root.length] === '/'),
  );
}

/**
 * Returns the vendor of a request without a named upstream: by its path; among vendors that share the path,
 * by the end of the path, by a header that only one vendor uses, by the prefix of its key, or else the first.
 * Undefined for a path that no vendor has.
 */
export function vendorOf({ path, header }: VendorSigns): Vendor | undefined {
  const own = vendorOfPath(path);
  if (own !== undefined) return own;
  const sharing = VENDORS.filter(({ sharedPaths = [] }) => isBelow(path, sharedPaths));
  const ending = sharing.find(({ ownPathEnds = [] }) => ownPathEnds.some((end) => path.endsWith(end)));
  return ending ?? vendorOfHeaders(sharing, header) ?? vendorOfKey(sharing, header) ?? sharing[0];
}

function vendorOfHeaders(vendors: readonly Vendor[], header: VendorSigns['header']): Vendor | undefined {
  return vendors.find(({ ownHeaders }) => ownHeaders.some((name) => header(name) !== undefined));
}

function vendorOfKey(vendors: readonly Vendor[], header: VendorSigns['header']): Vendor | undefined {
  const keys = CREDENTIAL_HEADERS.flatMap((name) => header(name)?.replace(/^bearer +/i, '') ?? []);
  return vendors.find(({ keyPrefixes = [] }) =>
    keyPrefixes.some((prefix) => keys.some((key) => key.startsWith(prefix))),
  );
}

/**
 * Returns the vendor whose error shape fits best when no upstream could be chosen. Any part of the head may
 * be missing; a vendor's own header or path decides.
 */
export function nearestVendor({ path, header }: VendorSigns): Vendor {
  const isOnPath = ({ ownPaths }: Vendor) => ownPaths.some((own) => path.includes(own));
  return vendorOfHeaders(VENDORS, header) ?? VENDORS.find(isOnPath) ?? first;
}

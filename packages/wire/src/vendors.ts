import { rememberBy } from './remember-by.ts';
import { anthropic } from './vendors/anthropic.ts';
import { bedrock } from './vendors/bedrock.ts';
import { gemini } from './vendors/gemini.ts';
import { ollama } from './vendors/ollama.ts';
import { openai } from './vendors/openai.ts';
import type { Vendor, VendorCloud } from './vendors/vendor.ts';

/** Every vendor whose conventions are known; the first is taken for what nothing tells apart. */
const LITERALS = [openai, anthropic, gemini, ollama, bedrock] as const;

/** The name of a vendor, as settings say it. */
export type VendorName = (typeof LITERALS)[number]['name'];

/** Every vendor, in the order in which their built-in upstreams are listed. */
export const VENDORS: readonly (Vendor & { readonly name: VendorName })[] = LITERALS;

const [first, ...others] = LITERALS;

/** Their names, in the same order. */
export const VENDOR_NAMES: readonly [VendorName, ...VendorName[]] = [
  first.name,
  ...others.map(({ name }) => name),
];

/** The vendor of this name. */
export function vendorNamed(name: VendorName): Vendor {
  return VENDORS.find((vendor) => vendor.name === name)!;
}

/** Header names in which any client may send a credential, in small letters. */
export const CREDENTIAL_HEADERS: readonly string[] = [
  ...new Set(VENDORS.flatMap(({ credentialHeaders }) => credentialHeaders)),
];

/** Parameters of the query in which any client may send one. */
export const CREDENTIAL_PARAMETERS: readonly string[] = [
  ...new Set(VENDORS.flatMap(({ credentialParameters = [] }) => credentialParameters)),
];

/** First segments of vendors' paths. An upstream of such a name could not be reached by it; only those of the vendors themselves are. */
export const PATH_ROOTS: readonly string[] = [
  ...new Set(
    VENDORS.flatMap(({ ownPaths, sharedPaths = [] }) => [...ownPaths, ...sharedPaths])
      .map((path) => path.split('/', 2)[1]!)
      .filter((segment) => !VENDOR_NAMES.includes(segment as VendorName)),
  ),
];

/** The cloud that serves a vendor's API at this origin, undefined when none known does. Of plain HTTP nobody knows who it is. */
export function cloudOf({ clouds = [] }: Vendor, origin: string): VendorCloud | undefined {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'https:' ? clouds.find(({ host }) => host.test(hostname)) : undefined;
}

/** Whether what a vendor documents of load modes is true of the server at this origin. */
export const documentsLoadModes = rememberBy(
  (vendor: Vendor, origin: string): boolean =>
    vendor.origins.includes(origin) || cloudOf(vendor, origin)?.hasLoadModes === true,
);

/** The head of a request as far as it tells whose client sent it. */
export interface VendorSigns {
  /** Without the query string. */
  readonly path: string;
  /** The value of a header by its small name; undefined when there is none. */
  readonly header: (name: string) => string | undefined;
}

/** The vendor that has this path to itself, undefined when none has. */
export function vendorOfPath(path: string): Vendor | undefined {
  return VENDORS.find(({ ownPaths }) => isBelow(path, ownPaths));
}

function isBelow(path: string, roots: readonly string[]): boolean {
  return roots.some(
    (root) => path.startsWith(root) && (path.length === root.length || path[root.length] === '/'),
  );
}

/**
 * The vendor that a request without a named upstream is for: by its path; of those that share the path by how it ends, by a
 * header that one alone has, by the shape of its key, else the first. Undefined for a path that no vendor has.
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
 * The vendor whose shape an error is best given when no upstream could be chosen, of which any part of the head may be missing: the one that
 * has a header or a part of the path to itself.
 */
export function nearestVendor({ path, header }: VendorSigns): Vendor {
  const isOnPath = ({ ownPaths }: Vendor) => ownPaths.some((own) => path.includes(own));
  return vendorOfHeaders(VENDORS, header) ?? VENDORS.find(isOnPath) ?? first;
}

import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { BlockList, isIP } from 'node:net';

/** Sources: https://www.iana.org/assignments/iana-ipv4-special-registry, https://www.iana.org/assignments/iana-ipv6-special-registry */
const PRIVATE_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const;
const PRIVATE_V6 = [
  ['::', 128],
  ['::1', 128],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const;

const blocked = new BlockList();
for (const [address, bits] of PRIVATE_V4) blocked.addSubnet(address, bits, 'ipv4');
for (const [address, bits] of PRIVATE_V6) blocked.addSubnet(address, bits, 'ipv6');

/**
 * Whether an address belongs to this machine or a private network, or is not routed on the internet; IPv4
 * within IPv6 counts as IPv4.
 */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0) return true;
  return blocked.check(address, family === 4 ? 'ipv4' : 'ipv6');
}

/** Whether a name that leads to these addresses may lead to a private one. */
export function isAnyPrivate(addresses: readonly Pick<LookupAddress, 'address'>[]): boolean {
  return addresses.some(({ address }) => isPrivateAddress(address));
}

export class PrivateAddress extends Error {
  override readonly name = 'PrivateAddress';
  readonly code = 'EPRIVATE';
}

type Callback = (error: Error | null, address: string | LookupAddress[], family?: number) => void;

/**
 * Looks a host up for a connection, and refuses it when any of its addresses is private: the addresses that are checked are those that the
 * connection is made to, so that a name cannot answer twice.
 */
export function lookupPublic(hostname: string, options: LookupOptions, callback: Callback): void {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, []);
    if (isAnyPrivate(addresses)) return callback(new PrivateAddress('The address is private.'), []);
    const [first] = addresses;
    if (options.all) callback(null, addresses);
    else callback(null, first!.address, first!.family);
  });
}

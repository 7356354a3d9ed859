import { BlockList, isIP } from 'node:net'

/** Whether an IP address is on the public internet: no file may lead to a host behind a firewall. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !NOT_PUBLIC.check(address, 'ipv4')
  // Only allocated IPv6 addresses are public; forms with an IPv4 address inside are not needed.
  return family === 6 && PUBLIC_V6.check(address, 'ipv6') && !NOT_PUBLIC.check(address, 'ipv6')
}

export function isLoopbackAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 0) return false
  return LOOPBACK.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

function blocks(...subnets: readonly string[]): BlockList {
  const list = new BlockList()
  for (const subnet of subnets) {
    const [network = '', prefix = '0'] = subnet.split('/')
    list.addSubnet(network, Number(prefix), network.includes(':') ? 'ipv6' : 'ipv4')
  }
  return list
}

const LOOPBACK = blocks('127.0.0.0/8', '::1/128')

const PUBLIC_V6 = blocks('2000::/3')

/** The special-purpose registries of IANA, and multicast and broadcast addresses. */
const NOT_PUBLIC = blocks(
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
)

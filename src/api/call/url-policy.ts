import { BlockList, isIP } from 'node:net'
import { isLoopbackHost } from '../../config/loopback.ts'
import { type FileCredential, type FileHost, hostNameOf } from '../../core/define/file-host.ts'
import { CallsheetError } from '../../core/errors.ts'

/** Where files may be fetched from. */
export interface UrlPolicy {
  /** The API's own origins, which get a bearer without any setting. */
  ownOrigins: ReadonlySet<string>
  /** The API is on this machine (the sandbox), so loopback addresses are allowed. */
  loopback: boolean
  /**
   * Hosts as written in addresses: lower case, with a port unless it is the default. Each has the credentials
   * it is trusted with, at most one for each kind of file.
   */
  hosts: ReadonlyMap<string, readonly FileCredential[]>
  /** Origins of file addresses that were checked and allowed. They are not checked again. */
  passed: Set<string>
}

export function urlPolicy(
  baseUrl: string,
  fileHosts: readonly FileHost[],
  apiHosts: readonly string[] = [],
): UrlPolicy {
  const { hostname } = new URL(baseUrl)
  const hosts = new Map<string, FileCredential[]>()
  for (const one of fileHosts) {
    const { host } = new URL(`https://${hostNameOf(one)}`)
    const credentials = typeof one === 'string' ? [] : [one.credential]
    hosts.set(host, [...(hosts.get(host) ?? []), ...credentials])
  }
  return {
    ownOrigins: apiOrigins(baseUrl, apiHosts),
    loopback: isLoopbackHost(hostname),
    hosts,
    passed: new Set(),
  }
}

/** Returns the origins of the API: https, and also plain HTTP on this machine if `baseUrl` is on it. */
export function apiOrigins(baseUrl: string, apiHosts: readonly string[]): ReadonlySet<string> {
  const { origin, host, hostname } = new URL(baseUrl)
  const schemesOf = (one: string): string[] =>
    isLoopbackHost(hostname) && isLoopbackHost(new URL(`https://${one}`).hostname)
      ? ['https', 'http']
      : ['https']
  const hosts = [host, ...apiHosts]
  const origins = hosts.flatMap((one) =>
    schemesOf(one).map((scheme) => new URL(`${scheme}://${one}`).origin),
  )
  return new Set([origin, ...origins])
}

/**
 * Returns the address if files may be fetched from it, else throws. It must have https (http only on this
 * machine), the API's host or a listed host and port, no user name, and no private IP address. `from` is the
 * address that redirected to it.
 */
export function allowedUrl(policy: UrlPolicy, text: string, from?: URL): URL {
  const url = URL.parse(text, from?.href)
  if (url === null) throw refused('the address is not a valid URL')
  if (url.username !== '' || url.password !== '') throw refused('the address contains a user name')
  if (from === undefined && policy.passed.has(url.origin)) return url
  const plain = url.protocol === 'http:'
  if (url.protocol !== 'https:' && !plain) throw refused('the address does not begin with https')
  if (plain && !(policy.loopback && isLoopbackHost(url.hostname)))
    throw refused('the address uses http instead of https')
  if (plain && from?.protocol === 'https:')
    throw refused('an https address redirects to an http address')
  // A host spelled with a trailing dot is refused: hosts are listed without it.
  if (!policy.ownOrigins.has(url.origin) && !policy.hosts.has(url.host))
    throw hostNotListed(url.host, from?.host)
  if (isIP(bare(url.hostname)) !== 0) checkAddress(policy, bare(url.hostname))
  if (from === undefined) policy.passed.add(url.origin)
  return url
}

/** Throws if an IP address is not public; a policy may allow loopback. Called before any connection. */
export function checkAddress(policy: UrlPolicy, address: string): void {
  if (isPublicAddress(address)) return
  if (policy.loopback && isLoopbackAddress(address)) return
  throw refused('the host has a private, loopback or link-local address')
}

export function isRefusedAddress(error: unknown): error is CallsheetError {
  return error instanceof CallsheetError && error.code === REFUSED
}

/** Removes the brackets of an IPv6 literal. */
function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

function hostNotListed(host: string, from: string | undefined): CallsheetError {
  const name = host.slice(0, 100)
  const led = from === undefined ? '' : `, to which ${from.slice(0, 100)} redirects`
  return refused(
    `the configuration does not allow the host ${name}${led}`,
    `if ${name} belongs to the service, add it to archive.hosts, ${
      from === undefined ? 'with a credential if it requires one' : CREDENTIAL_FOR_FIRST
    }; the next run downloads the file`,
  )
}

/** The error of an address refused for a part other than its host; the reason must not show that part. */
export function refuseAddress(came: string): CallsheetError {
  return refused(came)
}

/** Shows only the host of the address: the rest is signed and secret. */
function refused(
  came: string,
  todo = "contact the service's support and quote this message",
): CallsheetError {
  return new CallsheetError(REFUSED, {
    tried: 'Downloading a file',
    expected: "an https address on the API's own host or on a host in archive.hosts",
    came,
    todo,
  })
}

/** Returns true for an address on the public internet. No file may lead to a host behind a firewall. */
function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !NOT_PUBLIC.check(address, 'ipv4')
  // IPv6 addresses are public only in allocated ranges, without those that embed an IPv4 address.
  return family === 6 && PUBLIC_V6.check(address, 'ipv6') && !NOT_PUBLIC.check(address, 'ipv6')
}

function isLoopbackAddress(address: string): boolean {
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

const REFUSED = 'address_refused'
const CREDENTIAL_FOR_FIRST = 'or set a credential for the first host if that one requires it'

const LOOPBACK = blocks('127.0.0.0/8', '::1/128')

const PUBLIC_V6 = blocks('2000::/3')

/** The networks of IANA's special-purpose registries, and multicast and broadcast addresses. */
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

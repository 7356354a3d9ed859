import { isIP } from 'node:net'
import { type FileCredential, type FileHost, hostNameOf } from '../../core/declare/file-host.ts'
import { CallsheetError } from '../../core/errors/errors.ts'
import { isLoopbackAddress, isPublicAddress } from './public-address.ts'

/** Where files may be fetched from. */
export interface UrlPolicy {
  /** The API's own origins, which are sent a bearer without being named. */
  ownOrigins: ReadonlySet<string>
  /** The API is this machine's own (the sandbox), so that loopback addresses are nothing to be wary of. */
  loopback: boolean
  /**
   * As an address names them: in lower case, with a port where it is not the default one; and with what each
   * is trusted, at most one credential for each kind of files.
   */
  hosts: ReadonlyMap<string, readonly FileCredential[]>
  /** Origins that were found to be allowed: no more than there are hosts, and each is judged once. */
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

/** Where the API may be: over https, and in plain on this very machine alone, if it is configured there. */
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
 * The address, if a file may be fetched from it: https (http on this very machine alone), a host of the list
 * by its exact name, the default port or the one that the list names, no user, no private address. `from` is
 * the address whose answer led here.
 */
export function allowedUrl(policy: UrlPolicy, text: string, from?: URL): URL {
  const url = URL.parse(text, from?.href)
  if (url === null) throw refused('an address that cannot be read')
  if (url.username !== '' || url.password !== '') throw refused('an address with a user name')
  if (from === undefined && policy.passed.has(url.origin)) return url
  const plain = url.protocol === 'http:'
  if (url.protocol !== 'https:' && !plain) throw refused('an address that is not https')
  if (plain && !(policy.loopback && isLoopbackHost(url.hostname)))
    throw refused('an address without encryption')
  if (plain && from?.protocol === 'https:')
    throw refused('an address that leaves the encrypted way')
  // A trailing dot is another spelling of the same host, which no list has.
  if (!policy.ownOrigins.has(url.origin) && !policy.hosts.has(url.host))
    throw hostNotListed(url.host, from?.host)
  if (isIP(bare(url.hostname)) !== 0) checkAddress(policy, bare(url.hostname))
  if (from === undefined) policy.passed.add(url.origin)
  return url
}

/** Refuses what a name resolved to, before anything connects to it. */
export function checkAddress(policy: UrlPolicy, address: string): void {
  if (isPublicAddress(address)) return
  if (policy.loopback && isLoopbackAddress(address)) return
  throw refused('a host whose address is private, of this machine or of its link')
}

export function isRefusedAddress(error: unknown): error is CallsheetError {
  return error instanceof CallsheetError && error.code === REFUSED
}

/** A name or address, in brackets or not, that never leaves this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return hostname === 'localhost' || isLoopbackAddress(bare(hostname))
}

/** Of an IPv6 literal what stands in its brackets. */
function bare(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

function hostNotListed(host: string, from: string | undefined): CallsheetError {
  const led = from === undefined ? '' : `, to which ${from.slice(0, 100)} redirects`
  return refused(
    `the host ${host.slice(0, 100)}${led}, which the configuration does not allow`,
    `if it is right, add it to archive.hosts, ${
      from === undefined ? 'with a credential where it wants one' : TAKES_NO_TOKEN
    }; the next run fetches the file`,
  )
}

/** Of an address that is refused for what else it holds; the reason says nothing of that. */
export function refuseAddress(came: string): CallsheetError {
  return refused(came)
}

/** Says nothing of the address but its host: the rest of it is signed, and a secret. */
function refused(came: string, todo?: string): CallsheetError {
  return new CallsheetError(REFUSED, {
    tried: 'fetching a file',
    expected: "an https address of the API's own host or of archive.hosts",
    came,
    ...(todo === undefined ? {} : { todo }),
  })
}

const REFUSED = 'address_refused'
const TAKES_NO_TOKEN = 'or give the first one a credential, if it wants one'

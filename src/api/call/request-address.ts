import type { Dispatcher } from 'undici'
import type { CallArguments, Operation } from '../../core/define/operation.ts'
import { ConfigurationError, UnusableValueError } from '../../core/errors.ts'
import type { BearerToken } from './authorize.ts'
import { apiOrigins } from './url-policy.ts'

/** Where calls go: an address and the connections to it. */
export interface ApiPlace {
  baseUrl: string
  /** The address's own path, e.g. `/v2`. */
  prefix: string
  pool: Dispatcher
}

/** The API address that came with the account's newest token, and the hosts that it may have. */
export interface FollowedApi {
  /** Hosts that the API may have besides that of `baseUrl`, written as in addresses. */
  hosts: readonly string[]
  /** Returns the address that came with the newest token; undefined if none did. */
  told(signal: AbortSignal | undefined): Promise<string | undefined>
}

export interface ApiPlaces {
  at(token: BearerToken, signal: AbortSignal | undefined): Promise<ApiPlace>
  /** Call it when the service itself has answered at the address, with a success or an error. */
  isRight(): void
  /** A note for the operator if no call was answered and the API may have another address. */
  remark(): string | undefined
  close(): Promise<void>
}

export function createApiPlaces(options: {
  baseUrl: string
  followed: FollowedApi | undefined
  open(baseUrl: string): Dispatcher
}): ApiPlaces {
  const { baseUrl, followed, open } = options
  const pools = new Map<string, Dispatcher>()
  // Opens at most one pool for each origin that the settings allow.
  const placeAt = (address: string): ApiPlace => {
    const { origin, pathname } = new URL(address)
    const pool = pools.get(origin) ?? open(address)
    pools.set(origin, pool)
    return { baseUrl: address, prefix: pathname.replace(/\/+$/, ''), pool }
  }
  const configured = placeAt(baseUrl)
  let unfollowed: string | undefined
  let right = false
  return {
    async at({ apiUrl }, signal) {
      if (followed === undefined) unfollowed = namedElsewhere(baseUrl, apiUrl) ?? unfollowed
      const told = await followed?.told(signal)
      if (followed === undefined || told === undefined) return configured
      return placeAt(allowedApi(baseUrl, followed.hosts, told))
    },
    isRight: () => {
      right = true
    },
    remark() {
      if (right || unfollowed === undefined) return undefined
      const { host } = new URL(baseUrl)
      const named = `the token names ${unfollowed} as the API's address`
      return `${host} answered no call, and ${named}: ${howToFollow(unfollowed)}`
    },
    close: async () => void (await Promise.all([...pools.values()].map((pool) => pool.destroy()))),
  }
}

/**
 * Returns the API address in a token's answer, or throws if a bearer may not be sent there: it must be an
 * allowed origin with only a path. The version is added if the answer's address lacks it.
 */
export function allowedApi(baseUrl: string, hosts: readonly string[], told: string): string {
  const url = URL.parse(told)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw refused('the address is not a valid URL')
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '')
    throw refused('the address contains a user name, a query or a fragment')
  if (!apiOrigins(baseUrl, hosts).has(url.origin)) throw refused(...notAllowed(baseUrl, url))
  const configured = new URL(baseUrl)
  const path = url.pathname.replace(/\/+$/, '')
  if (path === '' && url.origin === configured.origin) return baseUrl
  const version = /\/v\d+$/.exec(configured.pathname.replace(/\/+$/, ''))?.[0] ?? ''
  return `${url.origin}${path.endsWith(version) ? path : path + version}`
}

/** Returns the origin in a token's answer if it differs from that of the configured address. */
export function namedElsewhere(baseUrl: string, told: string | undefined): string | undefined {
  const url = told === undefined ? null : URL.parse(told)
  if (url === null || url.origin === new URL(baseUrl).origin) return undefined
  return /^https?:$/.test(url.protocol) ? url.origin : undefined
}

/** Advice on how to call the address in the token's answer. */
export function howToFollow(origin: string): string {
  const { host } = new URL(origin)
  return `if ${host} belongs to the service, add ${host} to apiHosts`
}

function notAllowed(baseUrl: string, { origin, host }: URL): [came: string, todo: string] {
  const name = host.slice(0, 100)
  if (!apiOrigins(baseUrl, [host]).has(origin))
    return [
      `the address of the host ${name} uses http instead of https`,
      "contact the service's support and ask for an https address",
    ]
  return [
    `the configuration does not allow the host ${name}`,
    `if ${name} belongs to the service, add it to the account's apiHosts; otherwise leave apiHosts empty`,
  ]
}

/** Shows only the host of the refused address. */
function refused(came: string, todo = 'leave apiHosts empty to call baseUrl'): Error {
  return new ConfigurationError('api_url_refused', {
    tried: "Using the API address from the token's answer (apiHosts)",
    expected: 'an https address on the host of baseUrl or on a host in apiHosts',
    came,
    todo,
  })
}

/**
 * The path and query of a call, below the base address. `prefix` is the base address's path, e.g. `/v2`.
 * Without `ways`, IDs are encoded as documented.
 */
export function requestTarget({ operation, args, ways = {} }: Target, prefix: string): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const value = usableValue(operation, name, args.path?.[name])
    return encodeId(value, ways[name] ?? documentedWay(operation, name, value))
  })
  const query = encodeQuery(operation, withPageSize(operation, args.query ?? {}))
  return `${prefix}${path}${query === '' ? '' : `?${query}`}`
}

interface Target {
  operation: Operation
  args: CallArguments
  ways?: PathWays | undefined
}

/** A list with page tokens always gets a page size: the service's own default is small and not reported. */
function withPageSize(operation: Operation, query: NonNullable<CallArguments['query']>) {
  const { paging } = operation
  return paging?.style !== 'token' || query.page_size !== undefined
    ? query
    : { ...query, page_size: paging.maxPageSize }
}

function usableValue(operation: Operation, name: string, value: string | undefined): string {
  if (value === undefined || value === '') throw unusable(operation, name, 'is missing')
  // `.` and `..` would lead up the path, even encoded.
  if (/^\.{1,2}$/.test(value)) throw unusable(operation, name, 'consists of dots')
  return wellFormed(operation, name, value)
}

function encodeQuery(operation: Operation, query: NonNullable<CallArguments['query']>): string {
  const pairs: string[] = []
  for (const [name, value] of Object.entries(query)) {
    // An empty page token requests the last page on some operations and causes an error on others.
    if (value === undefined || (name === 'next_page_token' && value === '')) continue
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [value]) {
      pairs.push(
        `${encodeURIComponent(name)}=${encodeURIComponent(wellFormed(operation, name, String(one)))}`,
      )
    }
  }
  return pairs.join('&')
}

/** Refuses half of a surrogate pair: JSON can contain it, but it has no UTF-8 bytes. */
function wellFormed(operation: Operation, name: string, value: string): string {
  if (value.isWellFormed()) return value
  throw unusable(operation, name, 'is not valid Unicode')
}

function unusable(
  { method, path, id }: Operation,
  name: string,
  fault: string,
): UnusableValueError {
  return new UnusableValueError('unusable_value', {
    tried: `Calling ${method} ${path} (${id})`,
    came: `the value of {${name}} ${fault}`,
    todo: 'if you passed the value, correct it; nothing was sent',
  })
}

type EncodingWay = 'once' | 'twice'

/** How the ID for each placeholder in a path is encoded. */
export type PathWays = Readonly<Record<string, EncodingWay>>

/** Returns the documented encoding of this ID: once, if the documents do not say otherwise. */
export function documentedWay({ encodeTwice }: Operation, name: string, id: string): EncodingWay {
  return encodeTwice?.[name] === 'odd-slashes' && /^[+/]|\/\//.test(id) ? 'twice' : 'once'
}

function encodeId(id: string, way: EncodingWay): string {
  const once = encodeURIComponent(id)
  return way === 'twice' ? encodeURIComponent(once) : once
}

/** Returns true if the ID needs encoding. For most IDs, which do not, both ways give the same path. */
export function isAmbiguous(id: string): boolean {
  return id.isWellFormed() && encodeURIComponent(id) !== id
}

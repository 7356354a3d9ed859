import type { Dispatcher } from 'undici'
import { ConfigurationError } from '../../core/errors.ts'
import type { BearerToken } from './bearer.ts'
import { apiOrigins } from './url-policy.ts'

/** Where calls go: an address and the connections to it. */
export interface ApiPlace {
  baseUrl: string
  /** The address's own path, e.g. `/v2`. */
  prefix: string
  pool: Dispatcher
}

/** The account's calls go to the API address that the answer with its newest token names. */
export interface FollowedApi {
  /** Where the API may be, besides the host of `baseUrl`, written as in addresses. */
  hosts: readonly string[]
  /** The address in that answer; undefined if it has none. */
  told(signal: AbortSignal | undefined): Promise<string | undefined>
}

export interface ApiPlaces {
  at(token: BearerToken, signal: AbortSignal | undefined): Promise<ApiPlace>
  /** The service itself has answered there, well or not. */
  isRight(): void
  /** A note for a person when no call was answered: the API may be elsewhere. */
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
      return `no call was answered at ${host}, while ${named}: ${howToFollow(unfollowed)}`
    },
    close: async () => void (await Promise.all([...pools.values()].map((pool) => pool.destroy()))),
  }
}

/**
 * The API address in a token's answer, if a bearer may be sent there: an origin that the settings allow, with
 * nothing but a path. It may lack the version at the end of the configured address.
 */
export function allowedApi(baseUrl: string, hosts: readonly string[], told: string): string {
  const url = URL.parse(told)
  if (url === null || !/^https?:$/.test(url.protocol))
    throw refused('an address that cannot be read')
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '')
    throw refused('an address with a user name, a query or a fragment')
  if (!apiOrigins(baseUrl, hosts).has(url.origin)) throw refused(...notAllowed(baseUrl, url))
  const configured = new URL(baseUrl)
  const path = url.pathname.replace(/\/+$/, '')
  if (path === '' && url.origin === configured.origin) return baseUrl
  const version = /\/v\d+$/.exec(configured.pathname.replace(/\/+$/, ''))?.[0] ?? ''
  return `${url.origin}${path.endsWith(version) ? path : path + version}`
}

/** The origin in a token's answer, if it is not that of the configured address. */
export function namedElsewhere(baseUrl: string, told: string | undefined): string | undefined {
  const url = told === undefined ? null : URL.parse(told)
  if (url === null || url.origin === new URL(baseUrl).origin) return undefined
  return /^https?:$/.test(url.protocol) ? url.origin : undefined
}

/** How to let an account be called where its token's answer says. */
export function howToFollow(origin: string): string {
  const { host } = new URL(origin)
  return `if ${host} is the service's own, add ${host} to apiHosts`
}

function notAllowed(baseUrl: string, { origin, host }: URL): [came: string, todo: string] {
  const name = host.slice(0, 100)
  if (!apiOrigins(baseUrl, [host]).has(origin))
    return [`the host ${name} without encryption`, 'ask the service for an https address']
  return [
    `the host ${name}, which the configuration does not allow`,
    `if it is the service's own, add ${name} to the account's apiHosts; else leave apiHosts empty`,
  ]
}

/** Shows only the host of the refused address. */
function refused(came: string, todo = 'leave apiHosts empty, so that baseUrl is called'): Error {
  return new ConfigurationError('api_url_refused', {
    tried: 'calling the API where the answer with the token says that it is (apiHosts)',
    expected: 'an https address of the host of baseUrl or of apiHosts',
    came,
    todo,
  })
}

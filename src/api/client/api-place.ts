import type { Dispatcher } from 'undici'
import { ConfigurationError } from '../../core/errors/errors.ts'
import type { BearerToken } from './bearer.ts'
import { apiOrigins } from './url-policy.ts'

/** Where calls go: an address and the connections to it. */
export interface ApiPlace {
  baseUrl: string
  /** The address's own path, e.g. `/v2`. */
  prefix: string
  pool: Dispatcher
}

/** The account's calls go where the answer with its newest token says that the API is. */
export interface FollowedApi {
  /** As addresses name them: where the API may be, besides the host of `baseUrl`. */
  hosts: readonly string[]
  /** What that answer says; undefined where it says nothing. */
  told(signal: AbortSignal | undefined): Promise<string | undefined>
}

export interface ApiPlaces {
  at(token: BearerToken, signal: AbortSignal | undefined): Promise<ApiPlace>
  /** What a person should read where no call was answered: that the API may be elsewhere. */
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
  // No more connections are opened than there are origins that the settings allow.
  const placeAt = (address: string): ApiPlace => {
    const { origin, pathname } = new URL(address)
    const pool = pools.get(origin) ?? open(address)
    pools.set(origin, pool)
    return { baseUrl: address, prefix: pathname.replace(/\/+$/, ''), pool }
  }
  const configured = placeAt(baseUrl)
  let unfollowed: string | undefined
  return {
    async at({ apiUrl }, signal) {
      if (followed === undefined) unfollowed = namedElsewhere(baseUrl, apiUrl) ?? unfollowed
      const told = await followed?.told(signal)
      if (followed === undefined || told === undefined) return configured
      return placeAt(allowedApi(baseUrl, followed.hosts, told))
    },
    remark: () =>
      unfollowed &&
      `no call was answered at ${new URL(baseUrl).host}, while the token names ${unfollowed} as the API's ` +
        `address: ${howToFollow(baseUrl, unfollowed)}`,
    close: async () => void (await Promise.all([...pools.values()].map((pool) => pool.destroy()))),
  }
}

/**
 * The address that a token's answer names, if a bearer may go there: an origin that the settings allow, and
 * nothing but a path besides. It may lack the version with which the configured address ends.
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

/** The origin that a token's answer names, where that is another one than the configured address has. */
export function namedElsewhere(baseUrl: string, told: string | undefined): string | undefined {
  const url = told === undefined ? null : URL.parse(told)
  if (url === null || url.origin === new URL(baseUrl).origin) return undefined
  return /^https?:$/.test(url.protocol) ? url.origin : undefined
}

/** How an account comes to be called where its token's answer says. */
export function howToFollow(baseUrl: string, origin: string): string {
  const { host } = new URL(origin)
  const allow = apiOrigins(baseUrl, []).has(origin) ? '' : ` and add ${host} to apiHosts`
  return `if ${host} is the service's own, set followApiUrl to true${allow}`
}

function notAllowed(baseUrl: string, { origin, host }: URL): [came: string, todo: string] {
  const name = host.slice(0, 100)
  if (!apiOrigins(baseUrl, [host]).has(origin))
    return [`the host ${name} without encryption`, 'ask the service for an https address']
  return [
    `the host ${name}, which the configuration does not allow`,
    `if it is the service's own, add ${name} to the account's apiHosts; else set followApiUrl to false`,
  ]
}

/** Says nothing of what was named but its host. */
function refused(
  came: string,
  todo = 'set followApiUrl to false, so that baseUrl is called',
): Error {
  return new ConfigurationError('api_url_refused', {
    tried: 'calling the API where the answer with the token says that it is (followApiUrl)',
    expected: 'an https address of the host of baseUrl or of apiHosts',
    came,
    todo,
  })
}

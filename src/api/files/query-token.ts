import { ServiceError, TransportError } from '../../core/errors.ts'
import { PROXY_REFUSED } from '../answers/proxy-fault.ts'
import { isRefusedAddress, refuseAddress } from '../call/url-policy.ts'
import { PAGE_OF_HTML } from './check-file.ts'
import type { ShownToken } from './shown-token.ts'

/**
 * Returns the path and query to request. Only a token is changed, because the rest of the address is signed.
 * A token in the query is a bearer too: it is removed for hosts that may not get one, and an address that
 * contains our token elsewhere is refused.
 */
export function targetOf(
  { pathname, search }: URL,
  shown: Pick<ShownToken, 'token' | 'parameter'> | undefined,
  ours: string,
): string {
  const target = targetWith({ pathname, search }, shown)
  if (shown?.token !== ours && target.includes(ours))
    throw refuseAddress('an address outside the API contains the access token')
  return target
}

function targetWith(
  { pathname, search }: Pick<URL, 'pathname' | 'search'>,
  shown: Pick<ShownToken, 'token' | 'parameter'> | undefined,
): string {
  if (shown !== undefined && shown.parameter === undefined) return `${pathname}${search}`
  const pairs = search === '' ? [] : search.slice(1).split('&')
  const kept = pairs.filter((pair) => !isToken(pair))
  if (shown !== undefined) kept.push(`${shown.parameter}=${encodeURIComponent(shown.token)}`)
  return `${pathname}${kept.length === 0 ? '' : `?${kept.join('&')}`}`
}

function isToken(pair: string): boolean {
  const [name = ''] = new URLSearchParams(pair).keys()
  return name.toLowerCase() === 'access_token'
}

/**
 * Returns true if a file may have been refused because the query had no token. The documents do not describe
 * that answer, so all plausible ones count: a refusal, a page that asks for the password, or a redirect to
 * one.
 */
export function mayWantToken(error: unknown): boolean {
  if (isRefusedAddress(error)) return true
  if (error instanceof TransportError)
    return error.code === PAGE_OF_HTML || error.code === PROXY_REFUSED
  return error instanceof ServiceError && REFUSED.has(error.status)
}

/**
 * Turns the refusal of a token in the query into the refusal of a file: a new token would not help, and other
 * files may still be available.
 */
export function refusedFile(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.retry.kind !== 'renew-token') return error
  const { operation, serviceCode, trackingId, details, facts } = error
  const answer = { operation, serviceCode, trackingId, details }
  return new ServiceError({ ...answer, status: 403, verdict: { kind: 'never' } }, facts)
}

/** 200 is here because an error may come inside a success. */
const REFUSED = new Set([200, 401, 403])

import { ServiceError, TransportError } from '../../core/errors/errors.ts'
import { isRefusedAddress, refuseAddress } from '../client/url-policy.ts'
import { PAGE_OF_HTML } from './check-file.ts'
import type { Shown } from './shown-token.ts'

/**
 * The path and the query to ask for; all characters but a token's stay, since they are signed. A token in
 * the query is a bearer, too: where no bearer goes, none stays, and an address with ours elsewhere in it is
 * refused.
 */
export function targetOf(
  { pathname, search }: URL,
  shown: Pick<Shown, 'token' | 'parameter'> | undefined,
  ours: string,
): string {
  const target = targetWith({ pathname, search }, shown)
  if (shown?.token !== ours && target.includes(ours))
    throw refuseAddress('an address beyond the API with our token in it')
  return target
}

function targetWith(
  { pathname, search }: Pick<URL, 'pathname' | 'search'>,
  shown: Pick<Shown, 'token' | 'parameter'> | undefined,
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
 * Whether a file may have been refused for want of the token in the query. No document says how, so what a
 * service may do is taken for it: a refusal, a page that asks for the password, or a way to one.
 */
export function mayWantToken(error: unknown): boolean {
  if (isRefusedAddress(error)) return true
  if (error instanceof TransportError) return error.code === PAGE_OF_HTML
  return error instanceof ServiceError && REFUSED.has(error.status)
}

/**
 * A JWT is of our own making and has just listed the file, so where it opens it in neither way the file is
 * refused and not the token: another one would do no better, and the files after this one may be had.
 */
export function refusedFile(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.retry.kind !== 'renew-token') return error
  const { operation, serviceCode, trackingId, details, facts } = error
  const answer = { operation, serviceCode, trackingId, details }
  return new ServiceError({ ...answer, status: 403, verdict: { kind: 'never' } }, facts)
}

/** 200: an error inside a success. */
const REFUSED = new Set([200, 401, 403])

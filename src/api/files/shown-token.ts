import { FILE_CREDENTIALS, type FileCredential } from '../../core/declare/file-host.ts'
import type { Operation } from '../../core/declare/operation.ts'
import type { Authorities } from '../client/authorize.ts'
import type { UrlPolicy } from '../client/url-policy.ts'

/** A token and where in a request it goes. */
export interface Shown {
  token: string
  /** As a bearer in the header. */
  header: boolean
  /** In which parameter of the query, too; undefined where in none. */
  parameter: string | undefined
  /** By which setting another host is trusted with it; undefined for the API itself. */
  credential: FileCredential | undefined
}

export interface Asking {
  policy: UrlPolicy
  authorities: Pick<Authorities, 'jwt'>
  operation: Operation
  token: string
  /** The recording's own token, where its list gave one. */
  downloadToken: string | undefined
}

/**
 * The ways in which a host may be shown who asks, in the order to try them; empty for a host that is trusted
 * with nothing. What a password protects wants the JWT in the query as well, and nothing tells beforehand
 * which files these are. A token of the account's never goes there: it opens more than video sessions.
 */
export function waysToShow(asking: Asking, url: URL): Shown[] {
  const { policy, operation, token, downloadToken } = asking
  const parameter = operation.jwtParameter
  const signed = takesJwt(asking)
  const form = (header: boolean, inQuery: boolean, value = token) => ({
    token: value,
    header,
    parameter: inQuery ? parameter : undefined,
  })
  const both = signed && parameter !== undefined ? [form(true, false), form(true, true)] : undefined
  const bearer = both ?? [form(true, false)]
  if (policy.ownOrigins.has(url.origin)) return told(bearer, undefined)
  const credential = credentialOf(asking, url)
  if (credential === undefined) return []
  if (credential === 'jwt-in-query') return told([form(false, true)], credential)
  if (credential !== 'download-token') return told(bearer, credential)
  if (downloadToken === undefined) return []
  return told([form(true, false, downloadToken), form(false, true, downloadToken)], credential)
}

/** The setting that holds for a host and files of this kind: each kind takes a token of its own. */
export function credentialOf(
  asking: Omit<Asking, 'token' | 'downloadToken'>,
  url: URL,
): FileCredential | undefined {
  const given = asking.policy.hosts.get(url.host) ?? []
  return given.find((one) => fittingCredentials(asking).includes(one))
}

/** What files of an operation's kind may be fetched with at another host. */
export function fittingCredentials(of: Pick<Asking, 'authorities' | 'operation'>) {
  const signed = takesJwt(of)
  return FILE_CREDENTIALS.filter((one) => (one === 'account') !== signed)
}

/** Whether the operation's bearer is the JWT; without a key of its own it takes the account's token. */
function takesJwt({ authorities, operation }: Pick<Asking, 'authorities' | 'operation'>): boolean {
  return operation.bearer === 'jwt' && authorities.jwt !== undefined
}

function told(forms: Omit<Shown, 'credential'>[], credential: Shown['credential']): Shown[] {
  return forms.map((form) => ({ ...form, credential }))
}

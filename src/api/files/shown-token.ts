import { FILE_CREDENTIALS, type FileCredential } from '../../core/define/file-host.ts'
import type { Operation } from '../../core/define/operation.ts'
import type { Authorities } from '../call/authorize.ts'
import type { UrlPolicy } from '../call/url-policy.ts'

/** A token, and where in a request it is sent. */
export interface ShownToken {
  token: string
  /** True if it is sent as a bearer in the header. */
  header: boolean
  /** The parameter of the query in which it is sent; undefined for none. */
  parameter: string | undefined
  /** The setting that allows another host to get the token; undefined for the API itself. */
  credential: FileCredential | undefined
}

export interface DownloadAccess {
  policy: UrlPolicy
  authorities: Pick<Authorities, 'jwt'>
  operation: Operation
  token: string
  /** The recording's own token, if its list gave one. */
  downloadToken: string | undefined
}

/**
 * Returns the tokens that a host may get, in the order to try them; none for an untrusted host.
 * Password-protected files also need the JWT in the query, and nothing identifies these files beforehand. The
 * account's token is never sent in the query, because it opens more than video sessions.
 */
export function waysToShow(asking: DownloadAccess, url: URL): ShownToken[] {
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

/** Returns the credential that is configured for a host and for files of this kind. */
function credentialOf(
  asking: Omit<DownloadAccess, 'token' | 'downloadToken'>,
  url: URL,
): FileCredential | undefined {
  const given = asking.policy.hosts.get(url.host) ?? []
  return given.find((one) => fittingCredentials(asking).includes(one))
}

/** The credentials with which another host may serve files of an operation's kind. */
export function fittingCredentials(of: Pick<DownloadAccess, 'authorities' | 'operation'>) {
  const signed = takesJwt(of)
  return FILE_CREDENTIALS.filter((one) => (one === 'account') !== signed)
}

/** Returns true if the operation's bearer is the JWT; an account without the JWT's key uses its own token. */
function takesJwt({
  authorities,
  operation,
}: Pick<DownloadAccess, 'authorities' | 'operation'>): boolean {
  return operation.bearer === 'jwt' && authorities.jwt !== undefined
}

function told(
  forms: Omit<ShownToken, 'credential'>[],
  credential: ShownToken['credential'],
): ShownToken[] {
  return forms.map((form) => ({ ...form, credential }))
}

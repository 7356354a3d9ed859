/** A host besides the API's that files may come from. A plain name receives no credential. */
export type FileHost = string | { host: string; credential: FileCredential }

/**
 * The credential for downloads from a host. `account`: the account's bearer. The others are for recordings.
 * `jwt`: the video JWT as a bearer, and in the query if a password protects the file. `jwt-in-query`: the JWT
 * in the query alone. `download-token`: the recording's own token.
 */
export const FILE_CREDENTIALS = ['account', 'jwt', 'jwt-in-query', 'download-token'] as const

export type FileCredential = (typeof FILE_CREDENTIALS)[number]

export function hostNameOf(host: FileHost): string {
  return typeof host === 'string' ? host : host.host
}

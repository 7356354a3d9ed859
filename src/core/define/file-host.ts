/**
 * A host, besides the API's own, that files may come from: by its name alone it is shown nothing of us; with
 * a credential it is trusted with that one.
 */
export type FileHost = string | { host: string; credential: FileCredential }

/**
 * What a host is shown: the account's bearer (archived files), or of recordings the video JWT as a bearer (in
 * the query, too, where a password protects one), that JWT in the query alone, or the recording's own token.
 */
export const FILE_CREDENTIALS = ['account', 'jwt', 'jwt-in-query', 'download-token'] as const

export type FileCredential = (typeof FILE_CREDENTIALS)[number]

export function hostNameOf(host: FileHost): string {
  return typeof host === 'string' ? host : host.host
}

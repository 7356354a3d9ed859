import type { FileHost } from '../../core/define/file-host.ts'
import type { Operation } from '../../core/define/operation.ts'
import { pageTokenError } from '../answers/refusal.ts'
import type { RetryRules } from '../answers/retry.ts'
import { authorize } from '../call/authorize.ts'
import type { OpenPool } from '../call/pools.ts'
import type { FollowedApi } from '../call/request-address.ts'
import type { Sending } from '../call/send.ts'
import { persist } from '../call/send-until.ts'
import { allowedUrl, urlPolicy } from '../call/url-policy.ts'
import { createFilePools, type Resolve } from './file-pools.ts'
import type { Downloaded, DownloadRequest } from './file-request.ts'
import { follow, type Try, type Way } from './follow-file.ts'
import { mayWantToken, refusedFile } from './query-token.ts'
import type { Sink } from './receive-file.ts'
import { waysToShow } from './shown-token.ts'

/**
 * Fetches a whole file, or throws the reason. Sends the operation's bearer only to the API's own origin and
 * to hosts trusted with it, waits in its label's queue, and retries faults that may pass.
 */
export type Download = <S extends Sink>(
  operation: Operation,
  request: DownloadRequest<S>,
) => Promise<Downloaded<S>>

export interface DownloadOptions extends Sending {
  baseUrl: string
  limits: Sending['limits'] & {
    connectTimeoutMs: number
    connections: number
    fileTimeoutMs: number
  }
  random: () => number
  rules: RetryRules
  fileHosts?: readonly FileHost[]
  followedApi?: FollowedApi | undefined
  openPool?: OpenPool
  resolve?: Resolve
}

export function createDownload(options: DownloadOptions): {
  download: Download
  close(): Promise<void>
} {
  const policy = urlPolicy(options.baseUrl, options.fileHosts ?? [], options.followedApi?.hosts)
  const pools = createFilePools({ ...options, ...options.limits, policy })
  const way: Way = { ...options, policy, pools }
  return {
    download: (operation, request) =>
      persist(options, { operation, signal: request.signal }, () =>
        authorize(options.authorities, options.standing, {
          operation,
          clock: options.clock,
          wholeAccount: true,
          signal: request.signal,
          attempt: (token) => fetchFile(way, { operation, request, token }),
          pageTokenError: () => pageTokenError(operation, 'the call has no page token'),
        }),
      ),
    close: pools.close,
  }
}

/**
 * Tries the first way to send the token, then the last one if a token may be missing in the query. A file
 * known to be protected is requested only in the last way.
 */
async function fetchFile<S extends Sink>(way: Way, of: Try<S>): Promise<Downloaded<S>> {
  const { operation, request, token } = of
  const url = allowedUrl(way.policy, request.url)
  const { downloadToken } = request
  const asking = { ...way, operation, token: token.value, downloadToken }
  const ways = waysToShow(asking, url)
  const last = ways.at(-1)
  const inQuery = last?.parameter !== undefined
  if (ways.length > 1 && request.isProtected !== true)
    try {
      return { ...(await follow(way, of, { url, shown: ways[0] })), isProtected: false }
    } catch (error) {
      if (!mayWantToken(error)) throw error
    }
  const fetched = follow(way, of, { url, shown: last }).catch((error: unknown) => {
    throw inQuery ? refusedFile(error) : error
  })
  return { ...(await fetched), isProtected: ways.length > 1 }
}

import type { Operation } from '../core/operation.ts'
import { point } from '../core/point.ts'
import type { BearerToken } from './auth/bearer.ts'
import { authorize } from './authorize.ts'
import { createFilePools, type FilePools, type Resolve } from './file-pools.ts'
import { judgeFile, locationOf } from './judge-file.ts'
import type { OpenPool } from './origin-pool.ts'
import { persist } from './persist.ts'
import { type FileAnswer, receiveFile, type Sink } from './receive-file.ts'
import { pageTokenError, tried } from './refusal.ts'
import type { RetryRules } from './retry.ts'
import type { Sending } from './send.ts'
import { tooManyRedirects } from './transport-faults.ts'
import { allowedUrl, type UrlPolicy, urlPolicy } from './url-policy.ts'

export interface DownloadRequest<S extends Sink> {
  /** Signed: never shown, logged or kept. */
  url: string
  /** What this try's bytes go into; a try that fails discards its own. */
  receive(): Promise<S>
  /** How long the file is, where the service says. */
  bytes?: number | undefined
  signal?: AbortSignal | undefined
}

/**
 * Fetches a file whole, or says why not: with the operation's bearer as far as the API's own origin, in its
 * label's turn, and again where that may help. The sink that it answers is written and not kept yet.
 */
export type Download = <S extends Sink>(
  operation: Operation,
  request: DownloadRequest<S>,
) => Promise<{ sink: S; bytes: number }>

export interface DownloadOptions extends Sending {
  baseUrl: string
  limits: Sending['limits'] & { connectTimeoutMs: number; connections: number }
  random: () => number
  rules: RetryRules
  fileHosts?: readonly string[]
  openPool?: OpenPool
  resolve?: Resolve
}

export function createDownload(options: DownloadOptions): {
  download: Download
  close(): Promise<void>
} {
  const policy = urlPolicy(options.baseUrl, options.fileHosts ?? [])
  const pools = createFilePools({ ...options, ...options.limits, policy })
  const way: Way = { ...options, policy, pools }
  return {
    download: (operation, request) =>
      persist(options, { operation, signal: request.signal }, () =>
        authorize(options.authorities, options.standing, {
          operation,
          signal: request.signal,
          attempt: (token) => follow(way, { operation, request, token }),
          pageTokenError: () => pageTokenError(operation, 'no page was asked for'),
        }),
      ),
    close: pools.close,
  }
}

interface Way extends DownloadOptions {
  policy: UrlPolicy
  pools: FilePools
}

interface Try<S extends Sink> {
  operation: Operation
  request: DownloadRequest<S>
  token: BearerToken
}

/** Redirects by hand, each judged like the first address. What has once left the API's origin stays bare. */
async function follow<S extends Sink>(way: Way, of: Try<S>): Promise<{ sink: S; bytes: number }> {
  const { governor, policy } = way
  const { operation, request } = of
  let url = allowedUrl(policy, request.url)
  let trusted = true
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    const own = url.origin === policy.ownOrigin
    trusted &&= own
    const asked: Hop = { url, trusted, own }
    const came =
      hop === 0 || own
        ? await governor.run(operation.rate, request.signal, (sent) =>
            ask(way, of, { ...asked, sent }),
          )
        : await ask(way, of, { ...asked, sent: () => {} })
    if (!('location' in came)) return came
    url = allowedUrl(policy, came.location, url)
  }
  throw tooManyRedirects(tried(operation), MOST_REDIRECTS)
}

interface Hop {
  url: URL
  /** Whether the bearer goes along. */
  trusted: boolean
  own: boolean
}

async function ask<S extends Sink>(
  way: Way,
  { operation, request, token }: Try<S>,
  hop: Hop & { sent: () => void },
): Promise<{ sink: S; bytes: number } | { location: string }> {
  const { clock, limits, observer } = way
  const sink = await request.receive()
  try {
    const startedMs = clock.elapsed()
    await point('download:before')
    const answer = await receiveFile(
      { pool: way.pools.of(hop.url), clock, headersTimeoutMs: limits.headersTimeoutMs, sink },
      {
        tried: tried(operation),
        path: pathOf(hop),
        headers: headersOf(hop, token),
        mostBytes: request.bytes ?? MOST_FILE_BYTES,
        signal: request.signal,
        onSent: hop.sent,
      },
    )
    await point('download:after')
    observe(observer, operation, { answer, ms: Math.round(clock.elapsed() - startedMs) })
    const location = locationOf(answer)
    if (location !== undefined) {
      await sink.discard()
      return { location }
    }
    judgeFile({ operation, own: hop.own, bytes: request.bytes, nowMs: clock.now() }, answer)
    return { sink, bytes: answer.bytes }
  } catch (error) {
    await sink.discard()
    throw error
  }
}

function observe(
  observer: Sending['observer'],
  { id: operation }: Operation,
  { answer, ms }: { answer: FileAnswer; ms: number },
): void {
  observer.event('api.answer', { operation, status: answer.status, bytes: answer.bytes, ms })
}

/** Other origins get nothing that tells who asks. */
function headersOf({ trusted }: Hop, token: BearerToken): Record<string, string> {
  return {
    ...(trusted ? { authorization: `Bearer ${token.value}` } : {}),
    accept: '*/*',
    'accept-encoding': 'identity',
    'user-agent': 'callsheet',
  }
}

/** A token in the query is a bearer too; all other characters stay, since they are signed. */
function pathOf({ url, trusted }: Hop): string {
  const { pathname, search } = url
  if (trusted || !/[?&]access_token(?:=|&|$)/i.test(search)) return `${pathname}${search}`
  const kept = search
    .slice(1)
    .split('&')
    .filter((pair) => !/^access_token(?:=|$)/i.test(pair))
  return `${pathname}${kept.length === 0 ? '' : `?${kept.join('&')}`}`
}

const MOST_REDIRECTS = 3
/** A file whose length nobody tells must end some day. */
const MOST_FILE_BYTES = 64 * 2 ** 30

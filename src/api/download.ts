import type { Operation } from '../core/operation.ts'
import { point } from '../core/point.ts'
import type { BearerToken } from './auth/bearer.ts'
import { authorize } from './authorize.ts'
import { createFilePools, type FilePools, type Resolve } from './file-pools.ts'
import { judgeFile, locationOf } from './judge-file.ts'
import type { OpenPool } from './origin-pool.ts'
import { persist } from './persist.ts'
import { mayWantToken, refusedFile, targetOf } from './query-token.ts'
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
  /** A password is known to protect it. */
  isProtected?: boolean | undefined
  signal?: AbortSignal | undefined
}

/** The sink is written and not kept yet. */
export interface Downloaded<S extends Sink> {
  sink: S
  bytes: number
  /** It was given for the token in the query alone. */
  isProtected: boolean
}

/**
 * Fetches a file whole, or says why not: with the operation's bearer as far as the API's own origin, in its
 * label's turn, and again where that may help.
 */
export type Download = <S extends Sink>(
  operation: Operation,
  request: DownloadRequest<S>,
) => Promise<Downloaded<S>>

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
          wholeAccount: true,
          signal: request.signal,
          attempt: (token) => fetchFile(way, { operation, request, token }),
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

/**
 * What a password protects wants the JWT in the query as well. Nothing tells beforehand which files these
 * are, so it goes there for the API's own addresses alone, and only after the header was not enough. A token
 * of the account's is never sent so: it opens more than video sessions.
 */
async function fetchFile<S extends Sink>(way: Way, of: Try<S>): Promise<Downloaded<S>> {
  const { operation, request } = of
  const parameter = way.authorities.jwt === undefined ? undefined : operation.jwtParameter
  const url = allowedUrl(way.policy, request.url)
  const shown = url.origin === way.policy.ownOrigin ? parameter : undefined
  if (shown === undefined || request.isProtected !== true)
    try {
      return { ...(await follow(way, of, { url, parameter: undefined })), isProtected: false }
    } catch (error) {
      if (shown === undefined || !mayWantToken(error)) throw error
    }
  const fetched = follow(way, of, { url, parameter: shown }).catch((error: unknown) => {
    throw refusedFile(error)
  })
  return { ...(await fetched), isProtected: true }
}

/** Redirects by hand, each judged as the first address. What has once left the API's origin stays bare. */
async function follow<S extends Sink>(
  way: Way,
  of: Try<S>,
  { url: first, parameter }: Pick<Hop, 'url' | 'parameter'>,
): Promise<{ sink: S; bytes: number }> {
  const { governor, policy } = way
  const { operation, request } = of
  let url = first
  let trusted = true
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    const own = url.origin === policy.ownOrigin
    trusted &&= own
    const asked: Hop = { url, trusted, own, parameter }
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
  /** In which parameter of the query it goes along, too. */
  parameter: string | undefined
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
        path: targetOf(hop.url, { ...hop, token: token.value }),
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

const MOST_REDIRECTS = 3
/** A file whose length nobody tells must end some day. */
const MOST_FILE_BYTES = 64 * 2 ** 30

import type { FileCredential } from '../../core/define/file-host.ts'
import { type Operation, tried } from '../../core/define/operation.ts'
import { ServiceError, TransportError } from '../../core/errors.ts'
import { point } from '../../core/kill-point.ts'
import type { Clock } from '../../core/time/clock.ts'
import { tooManyRedirects } from '../answers/transport-faults.ts'
import type { BearerToken } from '../call/authorize.ts'
import type { Sending } from '../call/send.ts'
import { allowedUrl, type UrlPolicy } from '../call/url-policy.ts'
import { checkFile, locationOf, PAGE_OF_HTML } from './check-file.ts'
import type { FilePools } from './file-pools.ts'
import type { DownloadRequest } from './file-request.ts'
import { targetOf } from './query-token.ts'
import { type FileAnswer, receiveFile, type Sink } from './receive-file.ts'
import { fittingCredentials, type ShownToken } from './shown-token.ts'

export interface Way extends Pick<Sending, 'authorities' | 'governor' | 'observer' | 'words'> {
  clock: Clock
  limits: { headersTimeoutMs: number; fileTimeoutMs: number }
  policy: UrlPolicy
  pools: FilePools
}

export interface Try<S extends Sink> {
  operation: Operation
  request: DownloadRequest<S>
  token: BearerToken
}

/**
 * Requests the file, and checks the address of each redirect like the first. Once a redirect leaves the first
 * origin, no token is sent, even if a later redirect leads back to it or to a trusted host.
 */
export async function follow<S extends Sink>(
  way: Way,
  of: Try<S>,
  { url: first, shown }: { url: URL; shown: ShownToken | undefined },
): Promise<{ sink: S; bytes: number }> {
  const { governor, policy } = way
  const { operation, request } = of
  let url = first
  let trusted = true
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    const own = policy.ownOrigins.has(url.origin)
    trusted &&= url.origin === first.origin
    const asked = { url, own, shown: trusted ? shown : undefined, redirected: !trusted }
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
  own: boolean
  /** The token that is sent, if any. */
  shown: ShownToken | undefined
  redirected: boolean
  sent: () => void
}

async function ask<S extends Sink>(
  way: Way,
  { operation, request, token }: Try<S>,
  hop: Hop,
): Promise<{ sink: S; bytes: number } | { location: string }> {
  const { clock, limits, observer, words } = way
  const { url, shown } = hop
  const sink = await request.receive()
  try {
    const startedMs = clock.elapsed()
    await point('download:before')
    const answer = await receiveFile(
      { pool: way.pools.of(url), clock, words, ...limits, sink },
      {
        tried: tried(operation),
        path: targetOf(url, shown, token.value),
        headers: headersOf(shown),
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
    judge(way, { operation, request, token }, { ...hop, answer })
    return { sink, bytes: answer.bytes }
  } catch (error) {
    await sink.discard()
    throw error
  }
}

function judge<S extends Sink>(
  { clock, authorities }: Way,
  { operation, request }: Try<S>,
  { own, shown, redirected, url, answer }: Hop & { answer: FileAnswer },
): void {
  const trusted = shown !== undefined
  try {
    const { bytes, kind } = request
    checkFile({ operation, own, trusted, bytes, kind, nowMs: clock.now() }, answer)
  } catch (error) {
    if (own && trusted) throw error
    const fitting = fittingCredentials({ authorities, operation })
    throw ofOtherHost(error, { host: url.host, credential: shown?.credential, redirected, fitting })
  }
}

function observe(
  observer: Sending['observer'],
  { id: operation }: Operation,
  { answer, ms }: { answer: FileAnswer; ms: number },
): void {
  observer.event('api.answer', { operation, status: answer.status, bytes: answer.bytes, ms })
}

/** An untrusted origin gets no header that identifies the account. */
function headersOf(shown: ShownToken | undefined): Record<string, string> {
  return {
    ...(shown?.header === true ? { authorization: `Bearer ${shown.token}` } : {}),
    accept: '*/*',
    'accept-encoding': 'identity',
    'user-agent': 'callsheet',
  }
}

interface OtherHost {
  host: string
  /** The credential that was sent; undefined if there was none. */
  credential: FileCredential | undefined
  /** A redirect led to the host, so it gets no credential, even if a setting trusts it. */
  redirected: boolean
  /** The credentials that the settings may allow for files of this kind. */
  fitting: readonly FileCredential[]
}

/**
 * Adds to a final refusal or an HTML page the host's name, the credential that was sent, and what to change.
 * Other errors are returned unchanged.
 */
function ofOtherHost(error: unknown, from: OtherHost): unknown {
  if (error instanceof TransportError && error.code === PAGE_OF_HTML)
    return new TransportError(error.code, error.retryable, {
      ...error.facts,
      ...hostFacts(error, from),
    })
  if (!(error instanceof ServiceError) || error.retry.kind !== 'never') return error
  const { operation, status, serviceCode, trackingId, verdict, facts } = error
  const answer = { operation, status, serviceCode, trackingId, verdict }
  return new ServiceError(answer, { ...facts, ...hostFacts(error, from) })
}

function hostFacts(
  { facts }: ServiceError | TransportError,
  { host, credential, redirected, fitting }: OtherHost,
): { came: string; todo: string } {
  const name = host.slice(0, 100)
  if (credential !== undefined)
    return {
      came: `${facts.came}, from ${name}, which received the credential in archive.hosts (${credential})`,
      todo: `set the credential that ${name} accepts in archive.hosts: ${fitting.join(', ')} or none`,
    }
  if (redirected)
    return {
      came: `${facts.came}, from ${name}, which received no token because a redirect led there`,
      todo: "contact the service's support: the target of a redirect must be readable without a token",
    }
  return {
    came: `${facts.came}, from ${name}, which received no token`,
    todo:
      `if ${name} belongs to the service and requires a token, add it to archive.hosts: ` +
      `{host: ${name}, credential: ${fitting.join(' or ')}}`,
  }
}

const MOST_REDIRECTS = 3
/** The maximum size of a file of unknown length. */
const MOST_FILE_BYTES = 64 * 2 ** 30

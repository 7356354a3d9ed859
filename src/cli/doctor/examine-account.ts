import { allowedApi, howToFollow, namedElsewhere } from '../../api/client/api-place.ts'
import type { Page } from '../../api/client.ts'
import type { ArchiveSettings } from '../../config/archive-settings.ts'
import { meansDeleted, meansRefused, meansWithheld } from '../../core/declare/answer-meaning.ts'
import type { Job } from '../../core/declare/job.ts'
import type { CallArguments, Operation } from '../../core/declare/operation.ts'
import type { StoredToken } from '../../core/declare/ports.ts'
import type { Stream } from '../../core/declare/stream.ts'
import { wholeAccountScopes } from '../../core/declare/whole-account.ts'
import { ServiceError } from '../../core/errors/errors.ts'
import { DAY_MS } from '../../core/time/time.ts'
import type { WireRecord } from '../../core/values/wire-record.ts'
import type { OpenAccount } from '../accounts/open-account.ts'
import { jobs } from '../catalog/catalog.ts'
import { calledAs } from '../frame/called-as.ts'
import { examineFileHosts } from './examine-file-hosts.ts'
import { attempt, type Finding, failure } from './findings.ts'

/** The token, its scopes, the clocks, and the first page of everything that the jobs read. */
export async function examineAccount(
  open: OpenAccount,
  archive: ArchiveSettings,
  signal: AbortSignal,
): Promise<Finding[]> {
  const { findings, callable } = await examineAccess(open, signal)
  if (!callable) return findings
  const pages: Page[] = []
  const firsts = new Map<Stream, Page>()
  const absent: Operation[] = []
  for (const job of jobs)
    findings.push(...(await examineJob({ open, job, signal, pages, firsts, absent })))
  if (pages.length === 0 && absent.length > 0) findings.push(wrongAddress(open))
  const seen = [...firsts].map(([{ operation }, { records }]) => ({
    operation: operation.id,
    records: recordsOf(records),
  }))
  const list = async (operation: Operation, args: CallArguments) => {
    const page = await firstPage(open, { operation, args, signal })
    return page === undefined ? [] : recordsOf(page.records)
  }
  findings.push(...(await examineFileHosts(open, { archive, seen, list })))
  return [...findings, ...examineClock(open.settings.name, pages)]
}

/** Of an account whose lists are not where they were asked for: a wrong version in its address looks so. */
function wrongAddress({ settings: { name, baseUrl } }: OpenAccount): Finding {
  return {
    check: `${name} API address`,
    state: 'failed',
    text: `the service answers, and has no list under ${baseUrl}`,
    todo: 'see that baseUrl is the address of its API, with the right version at its end, such as /v2',
  }
}

function recordsOf(records: Page['records']): WireRecord[] {
  return Array.from({ length: records.count }, (_, at) => records.parse(at) as WireRecord)
}

/** The token, where it leads to, and its scopes. Without a token nothing can be called. */
export async function examineAccess(
  open: OpenAccount,
  signal: AbortSignal,
): Promise<{ findings: Finding[]; callable: boolean }> {
  const { name } = open.settings
  const token = await attempt(`${name} token`, async () => {
    const before = (await open.tokens.read())?.version
    await open.authorities.oauth.current(signal)
    const kept = await open.tokens.read()
    return [{ check: `${name} token`, state: 'ok', text: tokenText(kept, before) }]
  })
  if (token.some(({ state }) => state === 'failed')) return { findings: token, callable: false }
  const address = await attempt(`${name} API address`, () => examineAddress(open))
  const callable = address.every(({ state }) => state !== 'failed')
  return { findings: [...token, ...address, ...(await examineScopes(open))], callable }
}

/** A kept token says nothing about the secret: that is asked for when the token ends. */
function tokenText(kept: StoredToken | undefined, before: number | undefined): string {
  if (kept === undefined || kept.version !== before) return 'granted'
  const until = new Date(kept.expiresAtMs).toISOString().slice(11, 16)
  const old = kept.underOldKey === true ? `; ${UNDER_OLD_KEY}` : ''
  return `kept from before until ${until} UTC; the secret was not tried${old}`
}

/** Where the token's answer says that the API is, where that is another place than the configured one. */
async function examineAddress({ settings, tokens }: OpenAccount): Promise<Finding[]> {
  const { name, baseUrl, followApiUrl, apiHosts } = settings
  const check = `${name} API address`
  const told = (await tokens.read())?.apiUrl
  const origin = namedElsewhere(baseUrl, told)
  if (followApiUrl && told !== undefined)
    return [{ check, state: 'ok', text: `${allowedApi(baseUrl, apiHosts, told)}, by its api_url` }]
  if (origin === undefined) return []
  const text = `the token names ${origin}, which is not followed: baseUrl is called`
  return [{ check, state: 'warning', text, todo: howToFollow(baseUrl, origin) }]
}

/** What the granted scopes do not allow, by operation; calls with a JWT have none. */
async function examineScopes({ settings, tokens }: OpenAccount): Promise<Finding[]> {
  const check = `${settings.name} scopes`
  const granted = new Set((await tokens.read())?.scope ?? [])
  if (granted.size === 0)
    return [{ check, state: 'warning', text: 'the token does not say which it has' }]
  const needed = operationsOf(jobs).filter(({ bearer }) => bearer === 'oauth')
  const missing = needed.filter((operation) => !allows(granted, operation))
  if (missing.length === 0)
    return [{ check, state: 'ok', text: `${granted.size} granted, all that the jobs need` }]
  return missing.map((operation) => ({
    check,
    state: 'failed',
    text: `${operation.id} needs ${wholeAccountScopes(operation).join(' or ')}`,
    todo: `add the scope to the app, activate it again, and run ${calledAs('callsheet')} logout`,
  }))
}

/** The jobs read the whole account. */
function allows(granted: ReadonlySet<string>, operation: Operation): boolean {
  const enough = wholeAccountScopes(operation)
  return enough.length === 0 || enough.some((scope) => granted.has(scope))
}

function operationsOf(all: readonly Job[]): Operation[] {
  const operations = all.flatMap(({ streams }) =>
    streams.flatMap(({ operation, deletions }) =>
      deletions.by === 'detail' ? [operation, deletions.operation] : [operation],
    ),
  )
  return [...new Set(operations)]
}

interface JobCheck {
  open: OpenAccount
  job: Job
  signal: AbortSignal
  pages: Page[]
  /** Of all jobs so far: one may read the details of what another lists. */
  firsts: Map<Stream, Page>
  /** Operations that are not found at all. */
  absent: Operation[]
}

/** What is not allowed is a warning beside what is, and a failure where nothing of the job is. */
async function examineJob({
  open,
  job,
  signal,
  pages,
  firsts,
  absent,
}: JobCheck): Promise<Finding[]> {
  const { name } = open.settings
  const check = `${name} ${job.name}`
  const refused: Finding[] = []
  const read: Page[] = []
  for (const stream of job.streams) {
    const args = firstCall(stream, firsts, open.deps.clock.now())
    if (args === undefined) continue
    try {
      const page = await firstPage(open, { operation: stream.operation, args, signal })
      if (page === undefined) continue
      firsts.set(stream, page)
      read.push(page)
    } catch (error) {
      if (error instanceof ServiceError && error.status === 404) absent.push(stream.operation)
      if (!meansRefused(stream.operation, error)) return [...refused, failure(check, error)]
      const { text, ...finding } = failure(`${name} ${stream.name}`, error)
      refused.push({ ...finding, state: 'warning', text: `not allowed. ${text}` })
    }
  }
  pages.push(...read)
  const [first] = refused
  if (first !== undefined && read.length === 0) return [{ ...first, check, state: 'failed' }]
  const rows = read.reduce((sum, { records }) => sum + records.count, 0)
  return [{ check, state: 'ok', text: `first pages read, ${rows} records` }, ...refused]
}

/** Undefined when the one that was asked for is gone, or is not for us: that says nothing of the others. */
async function firstPage(
  { client }: OpenAccount,
  { operation, args, signal }: { operation: Operation; args: CallArguments; signal: AbortSignal },
): Promise<Page | undefined> {
  const small = operation.paging?.style === 'token' ? { page_size: SMALL_PAGE } : {}
  try {
    const query = { ...args.query, ...small }
    return await client.fetchPage(operation, { ...args, query }, { signal })
  } catch (error) {
    if (meansDeleted(operation, error) || meansWithheld(operation, error)) return undefined
    throw error
  }
}

/** The first call of a stream; of a fan-out that of the first parent, if its list showed one. */
function firstCall(
  { sync }: Stream,
  firsts: ReadonlyMap<Stream, Page>,
  nowMs: number,
): CallArguments | undefined {
  if (sync.kind === 'snapshot') return sync.requests()[0]?.arguments
  if (sync.kind === 'windows')
    return sync.request({ fromMs: nowMs - 7 * DAY_MS, toMs: nowMs }).arguments
  if (sync.kind === 'nested') return undefined
  const records = firsts.get(sync.parent)?.records
  if (records === undefined || records.count === 0) return undefined
  const parent = (records.parse(0) as WireRecord)[sync.parent.key[0] ?? '']
  return typeof parent === 'string' ? sync.request([parent]).arguments : undefined
}

/** Windows end at the service's now: a clock that is off reads too little or asks for the future. */
function examineClock(name: string, pages: readonly Page[]): Finding[] {
  const check = `${name} clock`
  const offsets = pages.flatMap(({ requestedAtMs, serverDateMs }) =>
    serverDateMs === undefined ? [] : [serverDateMs - requestedAtMs],
  )
  if (offsets.length === 0)
    return [{ check, state: 'warning', text: 'the service did not state its time' }]
  const seconds = Math.round(Math.min(...offsets.map(Math.abs)) / 1000)
  if (seconds <= 30) return [{ check, state: 'ok', text: `${seconds} s from the service's` }]
  const state = seconds > 300 ? 'failed' : 'warning'
  return [
    { check, state, text: `${seconds} s from the service's`, todo: 'set this machine by NTP' },
  ]
}

const UNDER_OLD_KEY =
  'it is encrypted with one of previousTokenKeys, which must stay until it is renewed'
const SMALL_PAGE = 5

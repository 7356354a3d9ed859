import type { OpenAccount } from '../../account/open-account.ts'
import type { Page } from '../../api/answers/payload.ts'
import { meansDeleted, meansRefused, meansWithheld } from '../../core/define/answer-meaning.ts'
import type { Job } from '../../core/define/job.ts'
import type { CallArguments, Operation } from '../../core/define/operation.ts'
import type { RowContext, SliceRequest, Stream } from '../../core/define/stream.ts'
import { ServiceError } from '../../core/errors.ts'
import { DAY_MS } from '../../core/time/time.ts'
import type { WireRecord } from '../../core/values/json.ts'
import { counted } from '../../core/values/quantities.ts'
import { examineRecords } from './examine-records.ts'
import { type Finding, failure } from './findings.ts'

interface JobCheck {
  open: OpenAccount
  job: Job
  signal: AbortSignal
  pages: Page[]
  /** The first pages of all jobs so far, because one job may read the details of another job's list. */
  firsts: Map<Stream, Page>
  /** Operations that the service does not have. */
  absent: Operation[]
}

/** Checks a job. A missing permission is a warning if the job can still read data, and a failure if not. */
export async function examineJob({
  open,
  job,
  signal,
  pages,
  firsts,
  absent,
}: JobCheck): Promise<Finding[]> {
  const { name } = open.settings
  const { words } = open.deps
  const check = `${name} ${job.name}`
  const refused: Finding[] = []
  const compared: Finding[] = []
  const read: Page[] = []
  for (const stream of job.streams) {
    const first = firstCall(stream, firsts, open.deps.clock.now())
    if (first === undefined) continue
    try {
      const { args, context } = first
      const page = await firstPage(open, { operation: stream.operation, args, signal })
      if (page === undefined) continue
      firsts.set(stream, page)
      read.push(page)
      const { records } = page
      compared.push(...examineRecords(name, stream, { records, context: { ...context, words } }))
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
  const result: Finding =
    read.length === 0
      ? { check, state: 'warning', text: UNTESTED }
      : { check, state: 'ok', text: `first pages read, ${counted(rows, 'record')}` }
  return [result, ...refused, ...compared]
}

/**
 * Returns the first page; undefined if the requested record is deleted or withheld, because other records may
 * still be readable.
 */
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

/** Returns the first call of a stream; for lists by parent, the call for the first known parent, if any. */
function firstCall(
  { sync }: Stream,
  firsts: ReadonlyMap<Stream, Page>,
  nowMs: number,
): { args: CallArguments; context: RowContext } | undefined {
  if (sync.kind === 'nested') return undefined
  if (sync.kind === 'windows')
    return asked(sync.request({ fromMs: nowMs - 7 * DAY_MS, toMs: nowMs }))
  if (sync.kind === 'snapshot') return asked(sync.requests()[0])
  const records = firsts.get(sync.parent)?.records
  if (records === undefined || records.count === 0) return undefined
  const record = records.parse(0) as WireRecord
  const parent = record[sync.parent.key[0] ?? '']
  return typeof parent === 'string'
    ? asked(sync.request([parent]), { key: [parent], record })
    : undefined
}

function asked(request: SliceRequest | undefined, parent?: RowContext['parent']) {
  if (request === undefined) return undefined
  const context = {
    ordinal: 0,
    filter: request.filter,
    ...(parent === undefined ? {} : { parent }),
  }
  return { args: request.arguments, context }
}

const UNTESTED = 'not tested: no record was read, so there are no details to request'
const SMALL_PAGE = 5

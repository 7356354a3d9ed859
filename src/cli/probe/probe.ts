import type { ErrorBody } from '../../api/answers/error-body.ts'
import type { AnswerHeaders } from '../../api/answers/headers.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import { type CallArguments, itemsOf, type Operation } from '../../core/declare/operation.ts'
import type { FoundReading } from '../../core/declare/ports.ts'
import type { CallsheetError } from '../../core/errors/errors.ts'
import type { WireRecord } from '../../core/values/wire-record.ts'
import type { LineId } from './lines.ts'

/** One question to a live account, put by reads alone. */
export interface Probe {
  /** Unique, e.g. `page-size.users`. */
  id: string
  /** The lines of what is taken to be so (`lines.ts`) that it tests, wholly or in part. */
  lines: readonly LineId[]
  /** What is taken to be so. */
  assumption: string
  operations: readonly Operation[]
  /** How often it reads at most; none where it only looks at what the probes before it were answered. */
  mostReads: number
  run(reader: Reader): Promise<Probed> | Probed
}

/** `unclear`: what the account holds, or how it answered, does not decide it. */
export type Verdict = 'holds' | 'differs' | 'unclear' | 'not allowed'

export interface Probed {
  verdict: Verdict
  /** What was seen, without anything personal. */
  found: string
  /** Where it differs: what that means for a sync. */
  means?: string
  /** The same for scripts. */
  facts?: Readonly<Record<string, string | number | boolean>>
  /** What to write into the account's settings. */
  settings?: Proposal
}

/** Settings of an account that a probe can tell the right value of. */
export type Proposal = Partial<
  Pick<AccountSettings, 'baseUrl' | 'quotas' | 'words'> & {
    videoSessions: { auth: 'jwt' | 'oauth' }
  }
>

/** Reads for the probe that is running. What the service refuses is a finding, and no error. */
export interface Reader {
  settings: AccountSettings
  nowMs: number
  read(operation: Operation, args?: CallArguments, bearer?: 'made-up' | 'oauth'): Promise<Reading>
  /** What the token server said, if it was asked by this process. */
  granted(): WireRecord | undefined
  /** What answers to earlier calls showed of the service. */
  found: readonly FoundReading[]
  /** All that was read so far, and each answer, of which one reading may have had several. */
  seen: { readings: readonly Reading[]; answers: readonly Heard[] }
}

export interface Reading {
  operation: Operation
  args: CallArguments
  /** The body; undefined where the call was refused. */
  body: unknown
  /** Of the last answer. */
  status: number
  code: string | undefined
  refusal: CallsheetError | undefined
}

/** One answer as it came over the wire. */
export interface Heard {
  operation: Operation
  atMs: number
  status: number
  headers: AnswerHeaders
  /** What it says where it is no success, and whether it was JSON with both code and message. */
  error: (ErrorBody & { wellFormed: boolean }) | undefined
}

/** The fields of an answer that is an object. */
export function fieldsOf({ body }: Pick<Reading, 'body'>): WireRecord {
  return isRecord(body) ? body : {}
}

export function recordsOf({ operation, body }: Pick<Reading, 'operation' | 'body'>): WireRecord[] {
  const items = itemsOf(operation)
  const list = items === undefined ? body : fieldsOf({ body })[items]
  return Array.isArray(list) ? list.filter(isRecord) : []
}

/** The next page's token, where there is a next page. */
export function nextTokenOf(reading: Reading): string | undefined {
  const token = fieldsOf(reading).next_page_token
  return typeof token === 'string' && token !== '' ? token : undefined
}

/** What came of a refused call, in the words of its error. */
export function refusalText({ refusal, status }: Reading): string {
  return refusal?.facts.came ?? `HTTP ${status}`
}

function isRecord(value: unknown): value is WireRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

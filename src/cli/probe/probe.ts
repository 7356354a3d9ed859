import type { ErrorBody } from '../../api/answers/error-body.ts'
import type { AnswerHeaders } from '../../api/answers/headers.ts'
import type { AccountSettings } from '../../config/account-settings.ts'
import { type CallArguments, itemsOf, type Operation } from '../../core/declare/operation.ts'
import type { FoundReading } from '../../core/declare/ports.ts'
import type { CallsheetError } from '../../core/errors/errors.ts'
import type { WireRecord } from '../../core/values/wire-record.ts'
import type { LineId } from './lines.ts'

/** One question to a live account, answered by reads alone. */
export interface Probe {
  /** Unique, e.g. `page-size.users`. */
  id: string
  /** The lines of `lines.ts` that it tests, wholly or in part. */
  lines: readonly LineId[]
  /** The assumption that it tests. */
  assumption: string
  operations: readonly Operation[]
  /** The most reads it makes; none if it only looks at the answers to earlier probes. */
  mostReads: number
  run(reader: Reader): Promise<Probed> | Probed
}

/** `unclear`: the account's data, or its answers, do not decide it. */
export type Verdict = 'holds' | 'differs' | 'unclear' | 'not allowed'

export interface Probed {
  verdict: Verdict
  /** What was seen, without anything personal. */
  found: string
  /** If it differs: what that means for a sync. */
  means?: string
  /** The same facts for scripts. */
  facts?: Readonly<Record<string, string | number | boolean>>
  /** The settings to write for the account. */
  settings?: Proposal
}

/** Account settings whose right value a probe can find out. */
export type Proposal = Partial<
  Pick<AccountSettings, 'baseUrl' | 'quotas' | 'words'> & {
    videoSessions: { auth: 'jwt' | 'oauth' }
  }
>

/** Reads for the current probe. A refusal by the service is a finding, not an error. */
export interface Reader {
  settings: AccountSettings
  nowMs: number
  read(operation: Operation, args?: CallArguments, bearer?: 'made-up' | 'oauth'): Promise<Reading>
  /** The token server's answer, if this process requested a token. */
  granted(): WireRecord | undefined
  /** What answers to earlier calls showed about the service. */
  found: readonly FoundReading[]
  /** All readings so far, and all answers; one reading may have several. */
  seen: { readings: readonly Reading[]; answers: readonly Heard[] }
}

export interface Reading {
  operation: Operation
  args: CallArguments
  /** The body; undefined if the call was refused. */
  body: unknown
  /** The status of the last answer. */
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
  /** Its error if it is not a success, and whether it was JSON with both code and message. */
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

/** The next page's token, if there is a next page. */
export function nextTokenOf(reading: Reading): string | undefined {
  const token = fieldsOf(reading).next_page_token
  return typeof token === 'string' && token !== '' ? token : undefined
}

/** The result of a refused call, in the words of its error. */
export function refusalText({ refusal, status }: Reading): string {
  return refusal?.facts.came ?? `HTTP ${status}`
}

function isRecord(value: unknown): value is WireRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

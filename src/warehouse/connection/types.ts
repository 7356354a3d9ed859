import type { ColumnType, Generated } from 'kysely'

/**
 * What the warehouse holds besides the data tables, whose columns derive from their streams at run time.
 * Instants are ISO text in UTC both ways, dates `yyyy-mm-dd`; a bigint comes as a number while it is a safe
 * one, else as its digits.
 */
export interface Database {
  'callsheet.leases': LeaseTable
  'callsheet.runs': RunTable
  'callsheet.slices': SliceTable
  'callsheet.quarantine': QuarantineTable
  'callsheet.drift': DriftTable
  'callsheet.suspects': SuspectTable
  'callsheet.brakes': BrakeTable
  'callsheet.tokens': TokenTable
  'callsheet.quota': QuotaTable
  'callsheet.labels': LabelTable
  'callsheet.published_reports': PublishedReportTable
  'callsheet.batches': BatchTable
}

/** A bigint of ours: an identity or a count, which stays far below 2^53. */
export type Count = ColumnType<number, number | string, number | string>
/** Goes in as text (`JSON.stringify`), comes out parsed. */
export type Json<T> = ColumnType<T, string, string>

export type RunState =
  | 'running'
  | 'complete'
  | 'incomplete'
  | 'to_be_continued'
  | 'failed'
  | 'interrupted'
export type SliceState = 'complete' | 'failed' | 'not_allowed'

interface LeaseTable {
  account: string
  epoch: Count
  holder: Json<unknown>
  expires_at: string
}

interface RunTable {
  id: Generated<number>
  account: string
  job: string
  epoch: Count
  /** It read a part of its job alone. */
  partial: Generated<boolean>
  state: RunState
  started_at: string
  finished_at: string | null
  planned: Generated<Json<unknown>>
  summary: Generated<Json<unknown>>
  error: string | null
}

interface SliceTable {
  account: string
  stream: string
  slice: string
  run_id: Count
  state: SliceState
  owned_from: string | null
  owned_to: string | null
  requested_at: string
  finished_at: string
  pages: number
  received: Count
  inserted: Count
  updated: Count
  unchanged: Count
  ignored: Count
  quarantined: Count
  gone: Count
  service_total: Count | null
  version: string | null
  possibly_truncated: Generated<boolean>
  settled: Generated<boolean>
  judged: Generated<boolean>
  error: string | null
}

interface QuarantineTable {
  id: Generated<number>
  account: string
  stream: string
  slice: string
  run_id: Count
  at: string
  reason: string
  payload: string
}

interface DriftTable {
  account: string
  stream: string
  kind: 'unknown_field' | 'unknown_value' | 'broken_value' | 'missing_value'
  path: string
  example: string
  first_run_id: Count
  first_seen_at: string
}

interface SuspectTable {
  account: string
  stream: string
  key: string[]
  run_id: Count
  since: string
}

interface BrakeTable {
  account: string
  stream: string
  run_id: Count
  missing: Count
  owned: Count
  at: string
  released_at: string | null
  used_by_run_id: Count | null
}

interface TokenTable {
  account: string
  kind: string
  version: Count
  ciphertext: Buffer | null
  expires_at: string | null
  scope: Generated<string[]>
  claimed_by: Json<unknown> | null
  claimed_until: string | null
}

interface QuotaTable {
  account: string
  pool: string
  day: string
  spent: Count
}

interface LabelTable {
  account: string
  label: string
  not_before: string | null
  reason: 'rate' | 'daily' | null
  learned_calls_per_second: number | null
}

interface PublishedReportTable {
  id: Generated<number>
  account: string
  report: string
  params: Json<unknown>
  as_of: string
  run_ids: number[]
  published_at: string
  files: Json<unknown>
}

interface BatchTable {
  account: string
  run_id: Count
  batch: number
  stream: string
  inserted: Count
  updated: Count
  unchanged: Count
  gone: Count
  at: string
}

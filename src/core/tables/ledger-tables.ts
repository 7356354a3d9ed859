import type { Generated } from 'kysely'
import type { Count, GivenCount, GivenJson, Json } from './value-types.ts'

/**
 * The tables of runs and their findings in the migrated database: `npm run tables` prints this file.
 */
export interface LedgerTables {
  'callsheet.batches': {
    account: string
    run_id: Count
    batch: number
    stream: string
    inserted: Count
    updated: Count
    unchanged: Count
    deleted: Count
    left_part: Count
    at: string
  }
  'callsheet.deletion_candidates': {
    account: string
    stream: string
    key: string[]
    run_id: Count
    since: string
  }
  'callsheet.deletion_guards': {
    account: string
    stream: string
    run_id: Count
    missing: Count
    owned: Count
    at: string
    approved_at: string | null
    used_by_run_id: Count | null
  }
  'callsheet.drift': {
    account: string
    stream: string
    kind: 'unknown_field' | 'unknown_value' | 'broken_value' | 'missing_value'
    path: string
    example: string
    first_run_id: Count
    first_seen_at: string
  }
  'callsheet.found_readings': {
    account: string
    reading: string
    variant: string
  }
  'callsheet.labels': {
    account: string
    label: string
    retry_at: string | null
    reason: string | null
    learned_calls_per_second: number | null
  }
  'callsheet.leases': {
    account: string
    epoch: Count
    holder: Json | null
    expires_at: string
    marks: Generated<unknown>
    marked_at: string | null
    moved_to: string | null
  }
  'callsheet.quarantine': {
    id: GivenCount
    account: string
    stream: string
    slice: string
    run_id: Count
    at: string
    reason: string
    payload: string
  }
  'callsheet.quota': {
    account: string
    pool: string
    day: string
    spent: Count
  }
  'callsheet.retention': {
    ledger: 'slices' | 'notifications'
    kept_from: string
  }
  'callsheet.runs': {
    id: GivenCount
    account: string
    job: string
    epoch: Count
    state: 'running' | 'complete' | 'incomplete' | 'paused' | 'failed' | 'interrupted'
    started_at: string
    finished_at: string | null
    planned: GivenJson
    summary: GivenJson
    error: string | null
    partial: Generated<boolean>
  }
  'callsheet.slice_states': {
    account: string
    stream: string
    slice: string
    run_id: Count
    state: 'complete' | 'failed' | 'not_allowed'
    finished_at: string
    checked: boolean
    quarantined: Count
    outside: Count
    error: string | null
    read_at: string | null
    listed_at: string | null
    complete_run_id: Count | null
    complete_at: string | null
    complete_requested_at: string | null
    complete_pages: number | null
    complete_received: Count | null
    complete_version: string | null
    complete_final: boolean | null
    counted: Count | null
    counted_after: string | null
    counted_since: string | null
    first_counted_at: string | null
    failures: number
    refusals: number
    absent_run_ids: number[]
    absent_at: string | null
    absent_version: string | null
    unchecked_run_id: Count | null
    most_pages: number
  }
  'callsheet.slices': {
    account: string
    stream: string
    slice: string
    run_id: Count
    state: 'complete' | 'failed' | 'not_allowed'
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
    deleted: Count
    service_total: Count | null
    final: Generated<boolean>
    checked: Generated<boolean>
    error: string | null
    version: string | null
    possibly_truncated: Generated<boolean>
    outside: GivenCount
    batch: number | null
  }
  'callsheet.tokens': {
    account: string
    kind: string
    version: Count
    ciphertext: Buffer | null
    expires_at: string | null
    scope: Generated<string[]>
    claimed_by: Json | null
    claimed_until: string | null
    grant_ciphertext: Buffer | null
    grant_ends_at: string | null
    needs_reauth: string | null
    api_url: string | null
  }
  'callsheet.written': {
    id: GivenCount
    account: string
    place: string
    batch: string
    wrote: unknown
    took: unknown
    days: unknown
    newest_run: Count
    xact: GivenCount
  }
}

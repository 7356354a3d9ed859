import type { Generated } from 'kysely'
import type { Count, GivenCount, GivenJson, Json } from './value-types.ts'

/**
 * The tables of alerts, calls and notifications in the migrated database: `npm run tables` prints this file.
 */
export interface ServiceTables {
  'callsheet.alerts': {
    channel: string
    cause: string
    account: string | null
    code: string
    subject: string
    level: 'red' | 'amber'
    sentence: string
    todo: string
    since: string
    told_level: 'red' | 'amber' | null
    first_told_at: string | null
    last_told_at: string | null
    recovered_at: string | null
    attempts: Generated<number>
    last_error: string | null
    claim: string | null
    claimed_until: string | null
  }
  'callsheet.calls': {
    id: GivenCount
    account: string
    operation: string
    asked_by: string
    arguments: Json
    body: Json | null
    asked_at: string
    state: 'open' | 'done' | 'partly' | 'refused' | 'unknown' | 'not_sent'
    status: number | null
    code: string | null
    tracking_id: string | null
    reason: string | null
    ended_at: string | null
    to_follow: Generated<number>
    whiteboard_id: string | null
    classification_id: string | null
    label: string | null
  }
  'callsheet.event_states': {
    account: string
    thing: string
    key: string[]
    state: string
    at: string
    rank: number
    hash: Buffer
    notification_id: Count
  }
  'callsheet.machines': {
    host: string
    pid: Count
    started_at: string
    seen_at: string
    token_key: string
    evidence_key: string | null
    store: string
    store_is_folder: boolean
    policies: Json
  }
  'callsheet.notifications': {
    id: GivenCount
    account: string
    event: string
    event_ts: string | null
    event_at: string | null
    received_at: string
    hash: Buffer
    state:
      | 'applied'
      | 'stored'
      | 'unmatched'
      | 'ahead'
      | 'unknown'
      | 'foreign'
      | 'unparsed'
      | 'erased'
    subjects: string[]
    findings: string[]
    payload: Json | null
    body: Buffer
  }
  'callsheet.published_reports': {
    id: GivenCount
    account: string
    report: string
    params: Json
    as_of: string
    run_ids: number[]
    published_at: string
    files: Json
    asked: GivenJson
  }
  'callsheet.task_runs': {
    id: GivenCount
    account: string
    task: string
    due_at: string
    state: 'running' | 'complete' | 'incomplete' | 'failed' | 'interrupted'
    started_at: string
    finished_at: string | null
    ending: Json | null
    detail: Json
    error: string | null
  }
}

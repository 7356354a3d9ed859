/**
 * The engine's own tables that a report may read besides its streams, with the columns that it needs; its
 * queries on them must be restricted to its account.
 */
export interface ReportLedgers {
  'callsheet.audit_settings': {
    id: number
    account: string
    at: string
    noted_by: string
    settings: unknown
  }
  'callsheet.batches': {
    account: string
    run_id: number
    stream: string
    inserted: number
    updated: number
    deleted: number
  }
  'callsheet.calls': {
    id: number
    account: string
    ended_at: string | null
    whiteboard_id: string | null
    classification_id: string | null
    label: string | null
  }
  'callsheet.checkpoints': {
    account: string
    size: number
    note: string
    key: Buffer
    at: string
  }
  'callsheet.deletion_guards': {
    account: string
    stream: string
    run_id: number
    missing: number
    owned: number
    at: string
    approved_at: string | null
  }
  'callsheet.erasure_requests': {
    account: string
    state: 'waiting' | 'under_way' | 'kept' | 'done' | 'readmitted'
    ended_at: string | null
  }
  'callsheet.files': {
    account: string
    kind: 'activity' | 'recording'
    parent: string
    item: string
    state: 'pending' | 'stored' | 'expired' | 'missing' | 'removed'
    reason: string | null
    expires_at: string | null
    sha256: Buffer | null
    size: number | null
    state_at: string
  }
  'callsheet.holds': {
    account: string
    name: string
    reason: string
    whiteboard_id: string | null
    session_id: string | null
    begins_at: string
    ends_at: string | null
    placed_by: string
    released_at: string | null
    released_by: string | null
  }
  'callsheet.incidents': {
    id: number
    account: string
    kind: 'expired_before_download' | 'missing' | 'database_restored'
    subject: string
    run_id: number | null
    at: string
    detail: string
  }
  'callsheet.runs': {
    id: number
    account: string
    job: string
    state: 'running' | 'complete' | 'incomplete' | 'paused' | 'failed' | 'interrupted'
    started_at: string
    finished_at: string | null
    partial: boolean
    planned: unknown
    summary: unknown
  }
  'callsheet.slices': {
    account: string
    stream: string
    slice: string
    run_id: number
    state: 'complete' | 'failed' | 'not_allowed'
    owned_from: string | null
    owned_to: string | null
    requested_at: string
    finished_at: string
    received: number
    inserted: number
    updated: number
    unchanged: number
    ignored: number
    quarantined: number
    outside: number
    service_total: number | null
    checked: boolean
    possibly_truncated: boolean
    error: string | null
  }
}

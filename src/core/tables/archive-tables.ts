import type { Generated } from 'kysely'
import type { Count, GivenCount, Json } from './value-types.ts'

/**
 * The tables of files, evidence and erasures in the migrated database: `npm run tables` prints this file.
 */
export interface ArchiveTables {
  'callsheet.audit_settings': {
    id: GivenCount
    account: string
    at: string
    noted_by: string
    settings: Json
  }
  'callsheet.checkpoints': {
    account: string
    origin: string
    size: Count
    note: string
    key: Buffer
    at: string
    mark: GivenCount
  }
  'callsheet.erasure_requests': {
    id: GivenCount
    account: string
    subject: string
    source: string
    asked_at: string
    requested_at: string
    due_at: string
    notification_id: Count | null
    state: Generated<'waiting' | 'under_way' | 'kept' | 'done' | 'readmitted'>
    asked_by: string | null
    by_name: Generated<boolean>
    identities: Json | null
    started_at: string | null
    ended_at: string | null
    erased: Json | null
    kept: Json | null
    left_behind: Json | null
    proof: Buffer | null
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
    size: Count | null
    tries: Generated<number>
    state_at: string
    run_id: Count | null
    bytes_gone_at: string | null
    entered: Generated<boolean>
    absent_since: string | null
    absent_run_id: Count | null
    lost: 'wanted' | 'gone' | null
  }
  'callsheet.holds': {
    id: GivenCount
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
    id: GivenCount
    account: string
    kind: 'expired_before_download' | 'missing' | 'database_restored'
    subject: string
    run_id: Count | null
    at: string
    detail: string
  }
  'callsheet.manifest': {
    account: string
    seq: Count
    kind: 'file' | 'record' | 'removal' | 'erasure' | 'statement'
    subject: string
    line: string
    salt: Buffer | null
    about: string | null
    about_salt: Buffer | null
    basis: string | null
    word: Buffer | null
  }
  'callsheet.marks': {
    account: string
    origin: string
    size: Count
    kind: 'stamp' | 'lock' | 'cosignature'
    who: string
    body: Buffer
    chain: string | null
  }
  'callsheet.placed_files': {
    account: string
    path: string
    sha256: string
    placed_at: string
  }
  'callsheet.suppression_keys': {
    account: string
    key: Buffer
  }
  'callsheet.suppressions': {
    account: string
    token: Buffer
    counts: 'person' | 'name_beside' | 'name_everywhere'
    request_id: Count
    since: string
    proof: Buffer | null
  }
  'callsheet.tree_tiles': {
    account: string
    level: number
    tile: Count
    start: number
    hashes: Buffer
  }
}

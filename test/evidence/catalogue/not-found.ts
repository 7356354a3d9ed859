import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { signSums } from '../sign-anew.ts'
import { type BundleTamper, by, type Role, type Tamper } from './tamper.ts'
import { SESSION_GONE } from './writer-records.ts'

/** What shows nowhere, as the table in docs/evidence.md says with these words. */
interface NotFound {
  by: Role
  /** In the column of what somebody could do. */
  could: string
  /** What `verify` says that it could not judge; undefined where it says nothing of it. */
  told?: RegExp
}

/** In the database and the store. */
export const UNSEEN_ON_STAGE: readonly (NotFound & { does: Tamper[1] })[] = [
  {
    by: 'writer',
    could: 'add a record with its own bytes, before the next run',
    told: /^1 versions of whiteboard_sessions have no entry yet; the next run makes it/,
    does: by(
      'writer',
      `insert into svc.whiteboard_sessions (account, id, _raw, _bytes, _hash, _first_seen_at, _changed_at,
        _run_id) values ('main', 'new', '{"id": "new"}', '{"id": "new"}', '', now(), now(), 9)`,
    ),
  },
  {
    by: 'writer',
    could: 'say that the service deleted a session',
    told: /^Whether the service has deleted the 1 records of whiteboard_sessions/,
    does: by('writer', ...SESSION_GONE),
  },
  {
    by: 'store',
    could: 'remove the note of the newest head',
    told: /^The store has no note of the newest head, 3, yet\.$/,
    does: (stage) => rm(join(stage.directory, 'notes', 'head-000003.json')),
  },
]

/** In a bundle, with the key. */
export const UNSEEN_IN_BUNDLE: readonly (NotFound & { does: BundleTamper[1] })[] = [
  {
    by: 'holder',
    could: 'give a bundle a workbook that says something else than its records',
    does: (all, { key }) => {
      all.set('whiteboard-audit.xlsx', Buffer.from('another workbook'))
      signSums(all, key)
    },
  },
]

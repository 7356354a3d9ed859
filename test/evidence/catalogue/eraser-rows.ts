import { sql } from 'kysely'
import { identityOf, nameOf } from '../../../src/core/persons/identity.ts'
import { type Suppressed, suppress } from '../../../src/erasure/sql/suppressions.ts'
import { stateSuppressed } from '../../../src/erasure/state-suppressed.ts'
import { proveSuppressed } from '../../../src/erasure/suppression-proof.ts'
import { addEntries } from '../../../src/evidence/add-entries.ts'
import { sha256Hex } from '../../../src/evidence/log/digest.ts'
import { erasureOf } from '../../../src/evidence/log/erased-kinds.ts'
import type { CastStage } from '../../helpers/cast-stage.ts'
import { ACCOUNT, addRun } from '../../helpers/evidence-stage.ts'
import { statingRows } from '../../helpers/stated-rows.ts'
import { NAMED, OF_LEDGER, OF_RECORD, RECORD, ROW, SUBJECT, salts } from './eraser-records.ts'
import { LAST } from './owner-entries.ts'
import { all, by, did, type Tamper } from './tamper.ts'
import {
  A2,
  DID_ACTIVITIES,
  DID_VERSIONS,
  keepActivity,
  ONE_ACTIVITY,
  ROW_A2,
  VERSION_A2,
} from './writer-records.ts'

export const ASKED = `insert into callsheet.erasure_requests
  (account, subject, source, asked_at, requested_at, due_at, state)
  values ('main', 'id:u-1', 'command', now(), now(), now(), 'waiting')`

const ONE_VERSION = /^1 row of history.whiteboard_activities that batch \S+ wrote$/

/** The name of an entry whose subject was deleted. */
const UNNAMED = /^the record whiteboard_activities\/[0-9a-f]{64}, entry \d+$/

/** More by the eraser without a request: changes previous versions, deletes single rows, forges entries. */
export const ERASER_ROWS: readonly Tamper[] = [
  [
    'an activity reset to its previous version',
    all(
      changeTwice,
      by(
        'eraser',
        `with newest as (select * from svc.whiteboard_activities ${A2}),
          earlier as (update svc.whiteboard_activities t set content = h.content, _raw = h._raw,
            _bytes = h._bytes from history.whiteboard_activities h
            where t.session_id = 's-1' and t.id = 'a-2' and h.id = t.id and h._bytes <> t._bytes)
          update history.whiteboard_activities h set content = n.content, _raw = n._raw, _bytes = n._bytes
          from newest n where h.session_id = n.session_id and h.id = n.id`,
      ),
    ),
    [VERSION_A2, ROW_A2, DID_VERSIONS, DID_ACTIVITIES],
  ],
  [
    'a previous version changed',
    all(
      changeTwice,
      by(
        'eraser',
        `update history.whiteboard_activities set content = 'x', _raw = jsonb_set(_raw, '{content}', '"x"'),
          _bytes = convert_to(jsonb_set(_raw, '{content}', '"x"')::text, 'UTF8') ${A2}`,
      ),
    ),
    [['record_changed', NAMED], VERSION_A2, DID_VERSIONS],
  ],
  [
    'a previous version removed',
    all(changeTwice, by('eraser', `delete from history.whiteboard_activities ${A2}`)),
    [['record_missing', NAMED], ['row_missing', ONE_VERSION], DID_VERSIONS],
  ],
  [
    'a record deleted',
    by('eraser', `delete from svc.whiteboard_sessions where id = 's-1'`),
    [
      ['record_missing', /^the record whiteboard_sessions\/s-1, entry \d+$/],
      ['row_missing', /^1 row of svc.whiteboard_sessions that batch /],
      did('svc.whiteboard_sessions'),
    ],
  ],
  [
    'a participant of a session deleted',
    by('eraser', `delete from svc.whiteboard_participants where session_id = 's-1'`),
    [
      ['row_missing', /^1 row of svc.whiteboard_participants that batch /],
      did('svc.whiteboard_participants'),
    ],
  ],
  [
    'the salt of an existing record deleted',
    by('eraser', salts('true', 'whiteboard_sessions/s-1')),
    [['salt_missing', /^the record whiteboard_sessions\/s-1, entry \d+$/]],
  ],
  [
    'the subjects of entries deleted',
    by(
      'eraser',
      `update callsheet.manifest set about = null, about_salt = null where about = '${SUBJECT}'`,
    ),
    [
      ['entry_without_file', /^whiteboard_activities\/[0-9a-f]{64}, entry \d+$/],
      ['file_without_entry', SUBJECT],
      ['record_missing', UNNAMED],
      ['record_without_entry', `the record ${SUBJECT}`],
    ],
  ],
  [
    'the subjects of entries deleted with salts and record',
    by(
      'eraser',
      RECORD,
      salts(OF_RECORD),
      `update callsheet.manifest set about = null, about_salt = null where about = '${SUBJECT}'`,
    ),
    [
      ['entry_without_file', /^whiteboard_activities\/[0-9a-f]{64}, entry \d+$/],
      ['file_without_entry', SUBJECT],
      ['row_missing', ONE_ACTIVITY],
      ['salt_missing', UNNAMED],
      DID_ACTIVITIES,
    ],
  ],
  [
    'a file deleted from the ledger',
    by('eraser', ROW),
    [
      ['entry_without_file', OF_LEDGER],
      ['file_without_entry', new RegExp(`^the file ${sha256Hex('file of s-1 a-2')} in`)],
    ],
  ],
  [
    'a person suppressed without a request',
    by(
      'eraser',
      `insert into callsheet.suppressions (account, token, counts, request_id, since)
        values ('main', decode(md5('x'), 'hex'), 'person', 1, now())`,
    ),
    [
      ['stated_nowhere', 'whom no sync keeps, by request 1'],
      ['suppression_unexplained', '1 identities that request 1 keeps out'],
    ],
  ],
  [
    'the suppressions of a person deleted',
    all(keepOut, by('eraser', 'delete from callsheet.suppressions')),
    [['stated_missing', 'whom no sync keeps, by request 7']],
  ],
  [
    'only the suppression of a person’s ID deleted',
    all(keepOut, by('eraser', `delete from callsheet.suppressions where counts = 'person'`)),
    [['stated_otherwise', 'whom no sync keeps, by request 7']],
  ],
  [
    'an erasure request inserted',
    by('eraser', ASKED),
    [['request_unexplained', /^the request \d+ for an erasure$/]],
  ],
  [
    'an erasure without a request, but with its entry',
    all(by('eraser', RECORD, salts(OF_RECORD)), (stage) =>
      stage.withRole('eraser', async (warehouse) => {
        const erasure = { kind: 'erasure', subject: SUBJECT, ...erasureOf(['record']) } as const
        await warehouse.transaction((tx) => addEntries(tx, ACCOUNT, [erasure]))
      }),
    ),
    [
      ['entry_unexplained', `entry ${LAST + 1} (${SUBJECT})`],
      ['row_missing', ONE_ACTIVITY],
      ['salt_missing', NAMED],
      DID_ACTIVITIES,
    ],
  ],
]

/** Puts a person on the suppression list, as an erasure does. */
async function keepOut({ withRole, key }: CastStage): Promise<void> {
  const identities = [identityOf('u-1'), nameOf('Anna')]
  const prove = (one: Suppressed) => proveSuppressed(key, ACCOUNT, one)
  await withRole('eraser', ({ transaction }) =>
    transaction(async (tx) => {
      await suppress(tx, ACCOUNT, { identities, requestId: 7, byName: true, prove })
      await stateSuppressed(tx, { account: ACCOUNT, key }, [7])
    }),
  )
}

/** Changes an activity and signs, so that checkpoints cover its current and its previous version. */
async function changeTwice(stage: CastStage): Promise<void> {
  const runId = await addRun(stage)
  await statingRows({ ...stage, account: ACCOUNT }, async (tx) => {
    await sql.raw(keepActivity('changed')).execute(tx)
    await sql
      .raw(`update svc.whiteboard_activities set _run_id = ${runId}, content = 'new',
        _raw = jsonb_set(_raw, '{content}', '"new"'),
        _bytes = convert_to(jsonb_set(_raw, '{content}', '"new"')::text, 'UTF8') ${A2}`)
      .execute(tx)
  })
  await stage.append()
}

import { sql } from 'kysely'
import { addEntries, addVouched } from '../../../src/evidence/add-entries.ts'
import { readCheckpoint, signCheckpoint } from '../../../src/evidence/log/checkpoint.ts'
import { NOTHING_BEFORE } from '../../../src/evidence/log/digest.ts'
import { entryLine } from '../../../src/evidence/log/entry.ts'
import { erasureOf } from '../../../src/evidence/log/erased-kinds.ts'
import type { SigningKey } from '../../../src/evidence/log/signing-key.ts'
import { insertCheckpoint, lastCheckpoint } from '../../../src/evidence/sql/checkpoints.ts'
import { insertEntries, type NewEntry } from '../../../src/evidence/sql/new-entries.ts'
import type { CastStage } from '../../helpers/cast-stage.ts'
import { ACCOUNT } from '../../helpers/evidence-stage.ts'

const SUBJECT = 'whiteboard_activities/s-1/a-2'
export const ERASURE = { kind: 'erasure', subject: SUBJECT, ...erasureOf(['record']) } as const

/** A subject as a commitment in a line. */
export const UNNAMED = `whiteboard_sessions/${'e'.repeat(64)}`

/** Adds an erasure entry as the writer: without a signature, or with that of another key. */
export async function forge(stage: CastStage, key?: SigningKey): Promise<void> {
  await stage.withRole('writer', async (warehouse) => {
    await warehouse.transaction((tx) =>
      key === undefined
        ? addEntries(tx, ACCOUNT, [ERASURE])
        : addVouched(tx, { account: ACCOUNT, key, basis: 'request 1' }, [ERASURE]),
    )
  })
}

/** Adds an erasure entry with the signature of the entry before it. */
export async function forgeWithLastWord(stage: CastStage): Promise<void> {
  const row = async (): Promise<NewEntry> => {
    const { rows } = await sql<{ row: NewEntry }>`select to_jsonb(m) as row from (
        select seq, kind, subject, line, encode(salt, 'hex') as salt, about,
          encode(about_salt, 'hex') as about_salt, basis, encode(word, 'hex') as word
        from callsheet.manifest order by seq desc limit 1) m`.execute(stage.warehouse.db)
    if (rows[0] === undefined) throw new Error('there is no entry')
    return rows[0].row
  }
  const { basis, word } = await row()
  await forge(stage)
  const forged = await row()
  await stage.tamper(`delete from callsheet.manifest where seq = ${forged.seq}`)
  await stage.withRole('writer', async ({ db }) => {
    await insertEntries(db, ACCOUNT, [{ ...forged, basis, word }])
  })
}

/** Adds a record entry with any number and previous hash, as the program never does. */
export async function addEntry(
  stage: CastStage,
  { seq, prev, about }: { seq: number; prev: string | undefined; about?: string },
): Promise<void> {
  const at = '2026-06-01T00:00:00.000Z'
  const entry = {
    v: 2,
    account: ACCOUNT,
    seq,
    at,
    kind: 'record',
    subject: UNNAMED,
  }
  const commitment = NOTHING_BEFORE
  const line = entryLine({ ...entry, size: 1024, commitment, prev: prev ?? commitment } as never)
  await stage.as(
    'writer',
    `insert into callsheet.manifest (account, seq, kind, subject, line, about, about_salt)
      select 'main', ${seq}, 'record', '${UNNAMED}', line, about,
        case when about is not null then 'sixteen-bytes-16'::bytea end
      from (select '${line}' as line, ${about === undefined ? 'null' : `'${about}'`}::text as about) e`,
  )
}

/** Adds a copy of the newest checkpoint by `key`, over `more` entries or with `after` added to its name. */
export async function addCheckpoint(
  stage: CastStage,
  key: SigningKey,
  { more = 0, after = '' }: { more?: number; after?: string },
): Promise<void> {
  await stage.withRole('writer', async ({ db }) => {
    const last = await lastCheckpoint(db, ACCOUNT)
    const state = readCheckpoint(last?.note ?? '')
    if (last === undefined || state === undefined) throw new Error('there is no checkpoint')
    const said = { origin: `${last.origin}${after}`, size: last.size + more }
    const note = signCheckpoint(key, { ...said, root: state.root })
    await insertCheckpoint(db, ACCOUNT, {
      ...said,
      note,
      key: key.publicKey.der,
      at: last.at,
      mark: last.mark,
    })
  })
}

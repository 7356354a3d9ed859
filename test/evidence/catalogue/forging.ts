import { addEntries } from '../../../src/evidence/add-entries.ts'
import { readCheckpoint, signCheckpoint } from '../../../src/evidence/log/checkpoint.ts'
import { NOTHING_BEFORE } from '../../../src/evidence/log/digest.ts'
import { entryLine } from '../../../src/evidence/log/entry.ts'
import { erasureOf } from '../../../src/evidence/log/erased-kinds.ts'
import type { SigningKey } from '../../../src/evidence/log/signing-key.ts'
import { warrant } from '../../../src/evidence/log/warrant.ts'
import { insertCheckpoint, lastCheckpoint } from '../../../src/evidence/sql/checkpoints.ts'
import { lastEntry } from '../../../src/evidence/sql/manifest.ts'
import { insertWarrant } from '../../../src/evidence/warrants.ts'
import type { CastStage } from '../../helpers/cast-stage.ts'
import { ACCOUNT } from '../../helpers/evidence-stage.ts'

const SUBJECT = 'whiteboard_activities/s-1/a-2'
export const ERASURE = { kind: 'erasure', subject: SUBJECT, ...erasureOf(['record']) } as const

/** As a line names what it does not tell. */
export const UNNAMED = `whiteboard_sessions/${'e'.repeat(64)}`

/** As the writer enters it: without the key's word. */
export async function forge(stage: CastStage): Promise<void> {
  await stage.withRole('writer', async (warehouse) => {
    await warehouse.transaction((tx) => addEntries(tx, ACCOUNT, [ERASURE]))
  })
}

export async function vouch(
  stage: CastStage,
  key: SigningKey,
  { first, basis }: { first: number; basis: string },
): Promise<void> {
  await stage.withRole('writer', async ({ db }) => {
    const { seq, hash } = (await lastEntry(db, ACCOUNT)) ?? { seq: 0, hash: Buffer.alloc(0) }
    const range = { first, last: seq, basis }
    const said = { account: ACCOUNT, ...range, hash: hash.toString('hex') }
    await insertWarrant(db, ACCOUNT, { ...range, signature: warrant(key, said) })
  })
}

/** An entry that the program would not make. */
export async function addEntry(
  stage: CastStage,
  { seq, prev }: { seq: number; prev: string | undefined },
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
    `insert into callsheet.manifest (account, seq, kind, subject, line, hash) values ('main', ${seq},
      'record', '${UNNAMED}', '${line}', sha256(convert_to('${line}', 'UTF8')))`,
  )
}

/** A checkpoint that says the same as the newest, but for what is given. */
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
    await insertCheckpoint(db, ACCOUNT, { ...said, note, key: key.publicKey.der, at: last.at })
  })
}

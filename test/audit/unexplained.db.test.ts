import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  confirmUnexplained,
  findUnexplained,
  rejectUnexplained,
} from '../../src/audit/verify/settle-unexplained.ts'
import { addEntries } from '../../src/evidence/add-entries.ts'
import { sha256Hex } from '../../src/evidence/log/digest.ts'
import { erasureOf } from '../../src/evidence/log/erased-kinds.ts'
import { wordOf } from '../../src/evidence/log/word.ts'
import {
  ACCOUNT,
  ADDED,
  addRun,
  addSession,
  type EvidenceStage,
  FILLED,
  fillStage,
  newKey,
  openEvidenceStage,
} from '../helpers/evidence-stage.ts'
import { named } from '../helpers/named-subject.ts'

/** A stage with `FILLED` entries under a checkpoint. */
let stage: EvidenceStage
beforeEach(async () => {
  stage = await openEvidenceStage()
  await fillStage(stage)
  await stage.append()
})
afterEach(() => stage.close())

/** The number of the next entry. */
const FORGED = FILLED + 1
const SUBJECT = 'whiteboard_activities/s-1/a-2'
const MISSING = /^row_missing 1 row of svc.whiteboard_activities that batch \S+ wrote$/
const ERASURE = { kind: 'erasure', subject: SUBJECT, ...erasureOf(['record']) } as const

/** Forges an erasure with all its traces, as somebody with write access to all tables could. */
async function forge(): Promise<void> {
  await stage.tamper(
    `delete from svc.whiteboard_activities where session_id = 's-1' and id = 'a-2'`,
  )
  await stage.tamper(`update callsheet.manifest m set salt = null
    where m.kind = 'record' and m.subject = ${named(SUBJECT)}`)
  await stage.warehouse.transaction((tx) => addEntries(tx, ACCOUNT, [ERASURE]))
  await stage.tamper(`insert into callsheet.erasure_requests
      (account, subject, source, asked_at, requested_at, due_at, state, ended_at)
    values ('main', 'erased:1', 'command', now(), now(), now(), 'done', now())`)
  await stage.tamper(`insert into callsheet.suppressions (account, token, counts, request_id, since)
    values ('main', decode(md5('x'), 'hex'), 'person', 1, now())`)
}

async function findings(): Promise<string[]> {
  const found = (await stage.verify()).findings
  return found.map(({ code, what }) => `${code} ${what}`).toSorted()
}

const signedTo = async (): Promise<number> => {
  const { rows } = await sql<{ last: number }>`
    select max(size) as last from callsheet.checkpoints`.execute(stage.warehouse.db)
  return rows[0]?.last ?? 0
}

const settle = (how: typeof confirmUnexplained): Promise<void> =>
  stage.warehouse.transaction(async (tx) => {
    const vouching = { account: ACCOUNT, key: stage.key, basis: 'a person' }
    await how(tx, vouching, await findUnexplained(tx, vouching))
  })

describe('an erasure entry forged with plain SQL', () => {
  it('is never signed, nor any later entry, and the run and verify report it', async () => {
    await forge()
    await addSession(stage, { runId: await addRun(stage), id: 'later' })
    for (const turn of [1, 2]) {
      const { signed, unexplained, problems } = await stage.append()
      expect({ turn, signed, unexplained }).toEqual({ turn, signed: 0, unexplained: 1 })
      expect(problems).toEqual([
        expect.stringMatching(`covers 1 entry .*first: entry ${FORGED}, erasure of `),
      ])
    }
    expect(await signedTo()).toBe(FILLED)
    expect(await findings()).toEqual([
      `entry_unexplained entry ${FORGED} (${SUBJECT})`,
      expect.stringMatching(MISSING),
      expect.stringMatching(`^salt_missing the record ${SUBJECT}, entry \\d+$`),
      'stated_nowhere whom no sync keeps, by request 1',
      'suppression_unexplained 1 identities that request 1 keeps out',
    ])
  })

  it('does not stop earlier entries from being signed', async () => {
    await addSession(stage, { runId: await addRun(stage), id: 'before' })
    await stage.append()
    await forge()
    expect((await stage.append()).signed).toBe(0)
    expect(await signedTo()).toBe(FILLED + ADDED)
  })

  it.each([
    ['a signature of another key', (said: Said) => newKey().sign(JSON.stringify(said))],
    ['a voucher of another key', (said: Said) => wordOf(newKey(), said)],
    ['a voucher for another reason', (said: Said) => wordOf(stage.key, { ...said, basis: 'x' })],
    ['a voucher in another log', (said: Said) => wordOf(stage.key, { ...said, account: 'other' })],
  ])('is not explained by %s', async (_what, made) => {
    await forge()
    const { rows } = await sql<{ hash: Buffer }>`
      select sha256(convert_to(line, 'UTF8')) as hash from callsheet.manifest where seq = ${FORGED}`.execute(
      stage.warehouse.db,
    )
    const hash = rows[0]?.hash.toString('hex') ?? ''
    const said = { account: ACCOUNT, hash, basis: 'request 1' }
    await stage.tamper(`update callsheet.manifest set basis = 'request 1',
      word = decode('${made(said).toString('hex')}', 'hex') where seq = ${FORGED}`)
    expect(await stage.append()).toMatchObject({ signed: 0, unexplained: 1 })
  })

  it('is not explained by a voucher for, or the acceptance of, another entry', async () => {
    await stage.vouch([{ ...ERASURE, subject: 'whiteboard_activities/s-1/a-3' }])
    await stage.warehouse.transaction((tx) => addEntries(tx, ACCOUNT, [ERASURE]))
    await stage.tamper(`update callsheet.manifest m set basis = other.basis, word = other.word
      from callsheet.manifest other where m.seq = ${FORGED + 1} and other.seq = ${FORGED}`)
    const content = Buffer.alloc(32)
    const accepted = { kind: 'statement', subject: `ledger/accepted/${FORGED + 1}` } as const
    await stage.vouch([{ ...accepted, size: 1, content }])
    expect(await stage.append()).toMatchObject({ signed: 1, unexplained: 1 })
    expect(await signedTo()).toBe(FORGED)
  })

  it('is not explained if the vouched entry was changed', async () => {
    await stage.vouch([{ ...ERASURE, subject: 'whiteboard_activities/s-1/a-3' }])
    await stage.tamper(`update callsheet.manifest set subject = ${named(SUBJECT)},
      line = replace(line, subject, ${named(SUBJECT)}) where seq = ${FORGED}`)
    expect(await stage.append()).toMatchObject({ signed: 0, unexplained: 1 })
  })

  it('is recognized by its line, whatever kind its row states', async () => {
    await forge()
    await stage.tamper(`update callsheet.manifest set kind = 'record' where seq = ${FORGED}`)
    expect(await stage.append()).toMatchObject({ signed: 0, unexplained: 1 })
  })

  it('is signed once a person confirms it', async () => {
    await forge()
    await settle(confirmUnexplained)
    expect(await stage.append()).toMatchObject({ signed: 1, unexplained: 0, problems: [] })
    // The store gets the note of a real erasure from the run that erases.
    expect(await findings()).toEqual([
      "erasure_note_missing the store's note of the erasure by request 1",
      expect.stringMatching(MISSING),
    ])
  })

  it('is removed from the manifest if a person rejects it, and later entries stay', async () => {
    await forge()
    await addSession(stage, { runId: await addRun(stage), id: 'later' })
    await stage.vouch([{ ...ERASURE, subject: 'whiteboard_activities/s-1/a-3' }])
    await stage.append()
    await settle(rejectUnexplained)
    expect(await stage.append()).toMatchObject({ signed: 1, unexplained: 0, problems: [] })
    // The session and the erasure that the key signed.
    expect(await signedTo()).toBe(FILLED + ADDED + 1)
    expect(await findings()).toEqual([
      expect.stringMatching(MISSING),
      expect.stringMatching(`^salt_missing the record ${SUBJECT}, entry \\d+$`),
    ])
  })

  it('can be removed only by the owner of the tables', async () => {
    await forge()
    const rejected = stage.warehouse.transaction(async (tx) => {
      for (const statement of ONE_WHO_WRITES) await sql.raw(statement).execute(tx)
      const vouching = { account: ACCOUNT, key: stage.key, basis: 'a person' }
      await rejectUnexplained(tx, vouching, await findUnexplained(tx, vouching))
    })
    await expect(rejected).rejects.toThrow('as the role that owns the tables')
    expect((await stage.append()).unexplained).toBe(1)
  })

  it('differs from a signed genuine entry, which stays valid without its voucher', async () => {
    await stage.tamper(
      `delete from svc.whiteboard_activities where session_id = 's-1' and id = 'a-2'`,
    )
    await stage.tamper(`update callsheet.manifest m set salt = null
      where m.kind = 'record' and m.subject = ${named(SUBJECT)}`)
    await stage.vouch([ERASURE])
    await stage.append()
    await stage.tamper('update callsheet.manifest set word = null')
    expect(await stage.append()).toMatchObject({ unexplained: 0, problems: [] })
    expect(await findings()).toEqual([expect.stringMatching(MISSING)])
  })
})

describe('a file marked as removed with plain SQL', () => {
  const callRemoved = (more = ', entered = false'): Promise<void> =>
    stage.tamper(`update callsheet.files set state = 'removed', bytes_gone_at = now(), reason = 'x',
      state_at = now() + interval '1 day' ${more} where parent = 's-1' and item = 'a-2'`)
  const takeBytes = (): Promise<void> =>
    rm(join(stage.directory, 'files', sha256Hex('file of s-1 a-2')))

  it('gets no removal entry, and the run and verify report it', async () => {
    await callRemoved()
    await takeBytes()
    const { removals, signed, unexplained, problems } = await stage.append()
    expect({ removals, signed, unexplained }).toEqual({ removals: 0, signed: 0, unexplained: 1 })
    expect(problems).toEqual([
      expect.stringMatching(/^1 file marked as removed, but not.*s-1\/a-2/),
    ])
    expect(await findings()).toEqual([`removal_without_entry ${SUBJECT}`])
  })

  it('is also reported if its entry was forged too', async () => {
    await callRemoved(', entered = true')
    await takeBytes()
    const content = Buffer.from(sha256Hex('file of s-1 a-2'), 'hex')
    const removal = { kind: 'removal', subject: SUBJECT, size: 15, content } as const
    await stage.warehouse.transaction((tx) => addEntries(tx, ACCOUNT, [removal]))
    expect(await stage.append()).toMatchObject({ removals: 0, signed: 0, unexplained: 1 })
    expect(await findings()).toEqual([
      `entry_unexplained entry ${FORGED} (${SUBJECT})`,
      `removal_without_entry ${SUBJECT}`,
    ])
  })

  it('is logged once a person confirms it, or counts as stored again if rejected', async () => {
    await callRemoved()
    await settle(rejectUnexplained)
    expect(await stage.append()).toMatchObject({ unexplained: 0, problems: [] })
    expect(await findings()).toEqual([])
    await callRemoved()
    await takeBytes()
    await settle(confirmUnexplained)
    expect(await stage.append()).toMatchObject({ removals: 1, unexplained: 0, problems: [] })
    expect(await findings()).toEqual([])
  })
})

/** Creates and uses a role that may write all tables and owns none, until the transaction is rolled back. */
const ONE_WHO_WRITES = [
  'create role one_who_writes',
  'grant usage on schema callsheet to one_who_writes',
  'grant all on all tables in schema callsheet to one_who_writes',
  'grant execute on all functions in schema callsheet to one_who_writes',
  'set local role one_who_writes',
]

type Said = Parameters<typeof wordOf>[1]

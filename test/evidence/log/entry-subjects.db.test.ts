import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { enterErasure } from '../../../src/erasure/enter-erasure.ts'
import { addEntries } from '../../../src/evidence/add-entries.ts'
import { sha256Hex } from '../../../src/evidence/log/digest.ts'
import { whiteboardActivities } from '../../../src/resources/whiteboard-archives.ts'
import {
  ACCOUNT,
  ACTIVITIES,
  type EvidenceStage,
  fillStage,
  openEvidenceStage,
  SESSIONS,
} from '../../helpers/evidence-stage.ts'
import { statingRows } from '../../helpers/stated-rows.ts'

let stage: EvidenceStage
beforeEach(async () => {
  stage = await openEvidenceStage()
  await fillStage(stage)
})
afterEach(() => stage.close())

const KEY = ['s-1', 'a-2'] as const
const SUBJECT = 'whiteboard_activities/s-1/a-2'
const OTHER = 'whiteboard_activities/s-1/a-1'

describe('an entry’s line', () => {
  it('reveals neither the session, nor the activity, nor the exact size', async () => {
    await stage.append()
    const lines = (await linesOf()).map((line) => JSON.parse(line) as Record<string, unknown>)
    const about = lines.filter(({ kind }) => kind === 'record' || kind === 'file')
    expect(about).toHaveLength(27)
    for (const { subject, size } of about) {
      expect(subject).toMatch(/^whiteboard_(sessions|activities)\/[0-9a-f]{64}$/)
      expect(size).toBe(1_024)
    }
    const text = JSON.stringify(about)
    for (const id of [...SESSIONS, ...ACTIVITIES]) {
      expect(text).not.toContain(id)
      expect(text).not.toContain(encodeURIComponent(id))
    }
  })

  it('has the same name for a subject each time, and a different name in another account', async () => {
    await stage.append()
    const names = async (account: string): Promise<Set<string>> => {
      const { rows } = await sql<{ subject: string }>`select subject
        from callsheet.manifest where account = ${account} and about = ${SUBJECT}`.execute(db())
      return new Set(rows.map(({ subject }) => subject))
    }
    const content = Buffer.alloc(32)
    await stage.warehouse.transaction((tx) =>
      addEntries(tx, 'other', [{ kind: 'file', subject: SUBJECT, size: 5_000, content }]),
    )
    const [own, others] = [await names(ACCOUNT), await names('other')]
    expect([own.size, others.size]).toEqual([1, 1])
    expect(own).not.toEqual(others)
    expect((await linesOf('other')).join()).toContain('"size":8192,')
  })

  it('reveals nothing about its subject after an erasure', async () => {
    await stage.append()
    const before = await linesOf()
    await eraseActivity()
    await stage.append()
    const { rows } = await sql<{ row: string }>`
      select row_to_json(m)::text as row from callsheet.manifest m`.execute(db())
    const telling = rows.filter(({ row }) => row.includes('a-2') && row.includes('s-1'))
    expect(telling).toEqual([])
    expect(rows.filter(({ row }) => row.includes('s-1/a-1'))).toHaveLength(2)
    expect((await linesOf()).slice(0, before.length)).toEqual(before)
    expect(await found()).toEqual([])
  })

  it('keeps its stored subject after an erasure while the ledger still names the file', async () => {
    await stage.append()
    await sql`update callsheet.files set state = 'removed', reason = 'erased'
      where parent = 's-1' and item = 'a-2'`.execute(db())
    await eraseActivity([SUBJECT])
    expect(await stage.append()).toMatchObject({ files: 0, removals: 0, problems: [] })
    expect(await found()).toEqual([])
    const { rows } = await sql`select 1 from callsheet.manifest
      where about = ${SUBJECT}`.execute(db())
    expect(rows.length).toBeGreaterThan(0)
  })
})

describe('the stored subject of an entry', () => {
  const GONE = 'record_missing the record whiteboard_activities/'
  it.each<[string, string, readonly string[]]>([
    [
      'names another activity',
      `update callsheet.manifest set about = about || 'x' where about = '${SUBJECT}'`,
      ['subject_wrong entry ', GONE],
    ],
    [
      'was exchanged with the subject of another activity',
      `update callsheet.manifest set about = case about when '${SUBJECT}' then '${OTHER}'
         else '${SUBJECT}' end where about in ('${SUBJECT}', '${OTHER}')`,
      ['subject_wrong entry ', 'record_changed the record '],
    ],
    [
      'has another salt',
      `update callsheet.manifest set about_salt = decode(md5('x'), 'hex') where about = '${SUBJECT}'`,
      ['subject_wrong entry '],
    ],
    [
      'lost only its salt',
      `update callsheet.manifest set about_salt = null where about = '${SUBJECT}'`,
      ['subject_wrong entry '],
    ],
    [
      'was removed together with its salt',
      `update callsheet.manifest set about = null, about_salt = null where about = '${SUBJECT}'`,
      [GONE],
    ],
    [
      'was removed from the first entry only',
      `update callsheet.manifest set about = null, about_salt = null where seq = (
         select min(seq) from callsheet.manifest where about = '${SUBJECT}')`,
      [GONE],
    ],
    [
      'was removed with its record and salts, as by an erasure',
      `with row as (delete from svc.whiteboard_activities where session_id = 's-1' and id = 'a-2'),
         file as (delete from callsheet.files where parent = 's-1' and item = 'a-2')
       update callsheet.manifest set about = null, about_salt = null, salt = null
         where about = '${SUBJECT}'`,
      ['salt_missing the record whiteboard_activities/'],
    ],
  ])('is not trusted if it %s', async (_what, statement, expected) => {
    await stage.append()
    await stage.tamper(statement)
    const findings = await found()
    const missed = expected.filter((one) => !findings.some((text) => text.startsWith(one)))
    expect({ missed, findings: missed.length === 0 ? [] : findings }).toEqual({
      missed: [],
      findings: [],
    })
  })
})

const db = () => stage.warehouse.db

async function linesOf(account = ACCOUNT): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`select line from callsheet.manifest
    where account = ${account} order by seq`.execute(db())
  return rows.map(({ line }) => line)
}

async function found(): Promise<string[]> {
  const { findings } = await stage.verify()
  return findings.map(({ code, what }) => `${code} ${what}`)
}

/** Erases an activity and its file, as an erasure does. The ledger keeps the files in `staying`. */
async function eraseActivity(staying: string[] = []): Promise<void> {
  const erasing = { account: ACCOUNT, key: () => stage.key, request: 1, dryRun: false }
  await stage.store.remove(sha256Hex('file of s-1 a-2'))
  await statingRows({ ...stage, account: ACCOUNT }, async (tx) => {
    await sql`delete from svc.whiteboard_activities where session_id = 's-1' and id = 'a-2'`.execute(
      tx,
    )
    if (staying.length === 0)
      await sql`delete from callsheet.files where parent = 's-1' and item = 'a-2'`.execute(tx)
    await enterErasure(tx, erasing, {
      stream: whiteboardActivities,
      touched: [KEY],
      files: [SUBJECT],
      staying,
    })
  })
}

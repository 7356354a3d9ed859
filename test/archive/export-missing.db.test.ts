import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { pruneArchive } from '../../src/archive/prune-archive.ts'
import type { AuditScope } from '../../src/audit/bundle/audit-selection.ts'
import { verifyBundle } from '../../src/audit/bundle/verify-bundle.ts'
import { silentObserver } from '../../src/core/define/observer.ts'
import { systemClock } from '../../src/core/time/clock.ts'
import { enterStored } from '../../src/evidence/enter-files.ts'
import { erasureOf } from '../../src/evidence/log/erased-kinds.ts'
import type { FileStore } from '../../src/store/store.ts'
import type { Lease } from '../../src/warehouse/ledger/lease.ts'
import {
  ACCOUNT,
  addActivity,
  addFile,
  addRun,
  addSession,
  type EvidenceStage,
  openEvidenceStage,
} from '../helpers/evidence-stage.ts'
import { exportStage } from '../helpers/export-stage.ts'
import { namedWhere } from '../helpers/named-subject.ts'
import { readMembers } from '../helpers/rewrite-zip.ts'
import { statingRows } from '../helpers/stated-rows.ts'

/** A session with the activities a1 and a2, each with a file, all signed. */
let stage: EvidenceStage
let folder: string
let runId: number
let first: string
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-missing-'))
  stage = await openEvidenceStage()
  runId = await addRun(stage)
  await addSession(stage, { runId, id: 's1' })
  first = await addOne('a1')
  await addOne('a2')
  await stage.append()
})
afterEach(async () => {
  await stage.close()
  rmSync(folder, { recursive: true })
})

async function addOne(id: string): Promise<string> {
  await addActivity(stage, { runId, session: 's1', id })
  return await addFile(stage, { runId, session: 's1', id, content: `file of ${id}` })
}

async function exported(store: FileStore = stage.store, scope: Partial<AuditScope> = {}) {
  const path = join(folder, 'missing.zip')
  const { problems, facts } = await exportStage(stage, path, { store, scope })
  const { fingerprint: key } = stage.key.publicKey
  const { findings, notJudged } = await verifyBundle(path, { key })
  const members = await readMembers(path)
  const readme = members.get('README.txt')?.toString() ?? ''
  expect(problems.filter((problem) => !readme.includes(problem))).toEqual([])
  return { problems, facts, codes: findings.map(({ code }) => code), findings, notJudged, members }
}

/** The checks that stay open if neither a checkpoint nor an account is given. */
const PINS = [
  expect.stringContaining('--account NAME'),
  expect.stringContaining('--checkpoint SIZE:ROOT'),
]
describe('an audit bundle', () => {
  it('without a file that was removed after the newest checkpoint is valid', async () => {
    await stage.removeFile({ session: 's1', id: 'a1' })
    const { problems, codes, facts, members } = await exported()
    expect(codes).toEqual([])
    expect(problems).toEqual([expect.stringMatching(/^1 file removed since the newest checkpoint/)])
    expect(facts.files).toBe(1)
    expect(members.has(`files/${first}`)).toBe(false)
    await stage.append()
    expect(await exported()).toMatchObject({ problems: [], codes: [], facts: { files: 1 } })
  })

  it('without a file whose entry no checkpoint covers yet is valid', async () => {
    const sha256 = await addOne('a3')
    const stored = { subject: 'whiteboard_activities/s1/a3', size: 10 }
    const content = Buffer.from(sha256, 'hex')
    await stage.warehouse.transaction((tx) => enterStored(tx, ACCOUNT, [{ ...stored, content }]))
    const { problems, codes, facts } = await exported()
    expect(codes).toEqual([])
    expect(problems).toContainEqual(
      expect.stringContaining('1 file entered since the newest checkpoint'),
    )
    expect(facts.files).toBe(2)
  })

  it('is not made if a prune removes files that it should contain', async () => {
    const prune = async (): Promise<void> => {
      const { warehouse, store } = stage
      const { key } = stage
      const deps = { warehouse, store, key, clock: systemClock, observer: silentObserver }
      const { signal } = new AbortController()
      const rules = [{ keepDays: 1, whiteboards: undefined, labels: undefined }]
      const recordRemovals = async (lease: Lease): Promise<void> => {
        await stage.append({ lease })
      }
      await pruneArchive({ ...deps, recordRemovals }, { account: ACCOUNT, rules, signal })
    }
    const store: FileStore = {
      ...stage.store,
      read: async (sha256) => {
        await prune()
        return await stage.store.read(sha256)
      },
    }
    await expect(exported(store)).rejects.toMatchObject({ code: 'pruned_meanwhile' })
    await stage.append()
    expect(await exported()).toMatchObject({ problems: [], codes: [], facts: { files: 0 } })
  })

  it('reports a file that somebody removed from the ledger and the store', async () => {
    await stage.tamper(`delete from callsheet.files where item = 'a1'`)
    await stage.store.remove(first)
    const { problems, findings } = await exported()
    expect(problems).toEqual([
      expect.stringMatching(/^whiteboard_activities\/s1\/a1, entry \d+: entry without file/),
    ])
    expect(findings).toMatchObject([
      { code: 'file_missing', what: expect.stringContaining('whiteboard_activities/s1/a1') },
    ])
  })

  it('reports a file whose digest was changed in the ledger, and does not count it as new', async () => {
    await stage.tamper(`update callsheet.files set sha256 = sha256('x') where item = 'a1'`)
    const { problems, codes } = await exported()
    expect(problems).toEqual([
      expect.stringMatching(/^whiteboard_activities\/s1\/a1, entry \d+: ledger changed/),
    ])
    expect(codes).toEqual(['file_missing'])
  })

  it('reports a record that somebody removed from the tables', async () => {
    await stage.tamper(`delete from svc.whiteboard_activities where id = 'a1'`)
    const { problems, codes } = await exported()
    expect(problems).toEqual([
      expect.stringMatching(
        /^the record whiteboard_activities\/s1\/a1, entry \d+: record missing \(no record\)/,
      ),
      expect.stringMatching(
        /^1 row of svc\.whiteboard_activities that batch \S+ wrote: row missing/,
      ),
    ])
    // Its file is not checked either, since only the record leads to it.
    expect(codes).toContain('record_missing')
  })

  it.each([
    ['a record', [`delete from svc.whiteboard_activities where id = 'a1'`], `like '%/s1/a1'`],
    [
      'a whole session',
      [
        `delete from svc.whiteboard_activities`,
        `delete from svc.whiteboard_sessions`,
        `delete from svc.whiteboard_participants`,
        `delete from callsheet.files`,
      ],
      `like '%s1%'`,
    ],
  ])(
    'proves by itself that %s was removed together with its salt, even outside its days',
    async (...taken) => {
      const [_what, statements, subjects] = taken
      for (const statement of statements) await stage.tamper(statement)
      await stage.tamper(`update callsheet.manifest m set salt = null
      where m.subject in ${namedWhere(subjects)}`)
      const { rows } = await sql<{ entries: number }>`select count(*)::int as entries
      from callsheet.manifest where subject in ${sql.raw(namedWhere(subjects))}`.execute(
        stage.warehouse.db,
      )
      for (const scope of [{}, { from: '2030-01-01T00:00:00Z', to: '2030-01-02T00:00:00Z' }]) {
        const { problems, codes } = await exported(stage.store, scope)
        expect(problems.join()).toContain('salt missing')
        const lost = codes.filter((code) => code === 'salt_missing')
        expect(lost).toHaveLength(rows[0]?.entries ?? Number.NaN)
      }
    },
  )

  it('is valid after an erasure, whether or not a checkpoint covers the erasure', async () => {
    await statingRows({ ...stage, account: ACCOUNT }, async (tx) => {
      await sql`delete from svc.whiteboard_activities where id = 'a1'`.execute(tx)
    })
    for (const statement of [
      `update callsheet.manifest m set salt = null
        where m.subject in ${namedWhere("like '%/a1'")}`,
      `delete from callsheet.files where item = 'a1'`,
    ])
      await stage.tamper(statement)
    await stage.store.remove(first)
    const subject = 'whiteboard_activities/s1/a1'
    const erasure = { kind: 'erasure', subject, ...erasureOf(['record', 'file']) } as const
    await stage.vouch([erasure])
    expect(await exported()).toMatchObject({ problems: [], codes: [] })
    await stage.append()
    expect(await exported()).toMatchObject({ problems: [], codes: [], notJudged: PINS })
  })

  it('reports a record whose bytes were changed, and does not count it as new', async () => {
    await stage.tamper(`update svc.whiteboard_activities set _bytes = 'x' where id = 'a1'`)
    const { problems, codes } = await exported()
    expect(problems).toEqual([
      expect.stringMatching(/^the record whiteboard_activities\/s1\/a1, entry \d+: record changed/),
      expect.stringMatching(/^the row whiteboard_activities\/s1\/a1: row changed/),
      expect.stringMatching(
        /^1 row of svc\.whiteboard_activities that batch \S+ wrote: row missing/,
      ),
    ])
    expect(codes).toEqual(['record_missing'])
  })
})

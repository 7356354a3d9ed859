import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import whiteboardAudit from '../../reports/whiteboard-audit.ts'
import { desiredBoards } from '../../src/apply/desired/boards.ts'
import { desiredLabels } from '../../src/apply/desired/labels.ts'
import { previewPrune } from '../../src/archive/preview-prune.ts'
import { dueSessions } from '../../src/archive/sql/archive-deadlines.ts'
import { publishReport } from '../../src/report/publish-report.ts'
import { applyClassification } from '../../src/resources/classification-labels.ts'
import { retain } from '../archive/retained.ts'
import { type OpenStore, useDirectoryStore } from '../helpers/directory-store.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { readWorkbook } from '../reports/workbook.ts'
import { rowsOf } from '../sandbox/with-caller.ts'
import { type ApplyBench, applyBench, wanted } from './apply-bench.ts'

const account = 'account-0'
const SECRET = { name: 'Secret', color: '#AA0000', sensitivity_level: 7 }
const RULES = [{ keepDays: 3650, labels: ['Secret', 'Hidden'] }, { keepDays: 365 }]

let world: World
let bench: ApplyBench
let store: OpenStore['store']
let board: string
let files = 0
useDirectoryStore((opened) => (store = opened.store))
beforeAll(async () => {
  world = await openWorld({ sizes: TINY })
  bench = applyBench(world)
  await world.sync()
  await bench.apply([wanted(desiredLabels, SECRET)])
})
beforeEach(async () => {
  const boards = await rowsOf(world.sandbox, 'whiteboards')
  board = String(boards[files]?.whiteboard_id)
  const session = `old-${files}`
  await retain(
    { warehouse: world.warehouse, store, account },
    { session, item: `file-${files}`, content: session, age: 400, whiteboard: board },
  )
  files++
})
afterAll(() => world.close())

const label = (name: string | null) =>
  bench.apply([wanted(desiredBoards, { whiteboard_id: board, label: name })])

/** Whether a prune would remove the board's file. */
async function goes(): Promise<boolean> {
  const due: (string | null)[] = []
  const { warehouse } = world
  const tell = ({ whiteboard }: { whiteboard: string | null }) => void due.push(whiteboard)
  await previewPrune({ warehouse, store }, { account, rules: RULES }, tell)
  return due.includes(board)
}

async function applied(): Promise<(string | null)[]> {
  const { rows } = await sql<{ classification_id: string | null }>`
    select classification_id from callsheet.calls
    where account = ${account} and whiteboard_id = ${board} order by id`.execute(world.warehouse.db)
  return rows.map(({ classification_id: id }) => id)
}

async function idOf(name: string): Promise<string> {
  const labels = await rowsOf(world.sandbox, 'classification_labels')
  return String(labels.find((row) => row.name === name)?.classification_id)
}

describe('a label applied to a board', () => {
  it('decides how long retention keeps the board’s files, until it is removed', async () => {
    expect(await goes()).toBe(true)
    await label('Secret')
    expect(await applied()).toEqual([await idOf('Secret')])
    expect(await goes()).toBe(false)
    await label('Public')
    expect(await goes()).toBe(true)
    await label('Secret')
    expect(await goes()).toBe(false)
    await label(null)
    expect((await applied()).at(-1)).toBeNull()
    expect(await goes()).toBe(true)
  })

  it('counts by its current name, even if the same plan created and applied it', async () => {
    await bench.apply([
      wanted(desiredLabels, { ...SECRET, name: 'Draft' }),
      wanted(desiredBoards, { whiteboard_id: board, label: 'Draft' }),
    ])
    expect(await goes()).toBe(true)
    const patch = { name: 'Hidden' }
    const ops = [{ kind: 'labels', action: 'change', id: await idOf('Draft'), patch }]
    world.sandbox.mutate({ ops } as Parameters<typeof world.sandbox.mutate>[0])
    await world.sync()
    expect(await goes()).toBe(false)
  })

  it('keeps the board’s files as long as the label’s name is unknown', async () => {
    const id = await idOf('Public')
    const rename = (from: string, to: string) =>
      sql`update svc.classification_labels set classification_id = ${to}
        where classification_id = ${from}`.execute(world.warehouse.db)
    await rename(id, 'never read')
    await bench.call(applyClassification, { whiteboardId: board }, { classification_id: id })
    expect(await goes()).toBe(false)
    await rename('never read', id)
    expect(await goes()).toBe(true)
  })

  it('is not recorded if the service refused it', async () => {
    const missing = { classification_id: 'none' }
    const call = bench.call(applyClassification, { whiteboardId: board }, missing)
    await expect(call).rejects.toThrow('there is no such classification label')
    expect(await applied()).toEqual([])
  })

  it('appears with the board’s due sessions and in the whiteboard audit', async () => {
    await label('Secret')
    const inADay = new Date(world.account.deps.clock.now() + 86_400_000).toISOString()
    await sql`update svc.whiteboard_sessions set expire_time = ${inADay}
      where account = ${account} and whiteboard_id = ${board}`.execute(world.warehouse.db)
    await sql`update callsheet.files set state = 'pending', sha256 = null, size = null
      where account = ${account} and item = ${`file-${files - 1}`}`.execute(world.warehouse.db)
    const due = await dueSessions(world.warehouse.db, { account, untilMs: Date.parse(inADay) })
    expect(due.sessions.find(({ whiteboard }) => whiteboard === board)?.label).toBe('Secret')
    const byLabel = await auditByLabel()
    expect(byLabel.find(([name]) => name === 'Secret')?.[2]).toBe(await boardsWith('Secret'))
  })
})

async function boardsWith(name: string): Promise<number> {
  const { rows } = await sql<{ boards: number }>`
    select count(*)::int as boards from (
      select distinct on (whiteboard_id) classification_id from callsheet.calls
      where whiteboard_id is not null order by whiteboard_id, id desc) l
    join svc.classification_labels c using (classification_id) where c.name = ${name}`.execute(
    world.warehouse.db,
  )
  return rows[0]?.boards ?? 0
}

async function auditByLabel(): Promise<unknown[][]> {
  const directory = mkdtempSync(join(tmpdir(), 'callsheet-labels-'))
  const { files: made } = await publishReport(
    { warehouse: world.warehouse },
    {
      report: whiteboardAudit,
      account,
      params: { from: '2026-06-20', to: '2026-06-25' },
      timeZone: 'UTC',
      directory,
      formats: ['xlsx'],
    },
  )
  const book = await readWorkbook(made[0]?.path ?? '')
  rmSync(directory, { recursive: true })
  return book.rows('Boards', 'Applied label')
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import phoneNumbers from '../../jobs/phone-numbers.ts'
import usersJob from '../../jobs/users.ts'
import whiteboards from '../../jobs/whiteboards.ts'
import { jobs } from '../../src/account/catalog.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import {
  ALL_LISTS,
  byStream,
  copyOf,
  insertCheckpoints,
  insertFiles,
  type Reconciled,
  reconcile,
  rowsOf,
  TAMPERED,
  verdicts,
  wholeSlices,
} from './reconciliation-fixture.ts'
import type { Workbook } from './workbook.ts'

let world: World
let directory: string
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'callsheet-reconciled-'))
  world = await openWorld({ sizes: TINY, altered: true })
})
afterAll(async () => {
  await world.close()
  rmSync(directory, { recursive: true })
})

const reconciled = (day?: string): Promise<Reconciled> =>
  reconcile(world.warehouse, { directory, ...(day === undefined ? {} : { day }) })

const trueRows = (stream: string): Promise<number> => rowsOf(world.sandbox.truth(stream))
const STREAMS = jobs.flatMap(({ streams }) => streams.map(({ name }) => name))

/** Expects as many rows of each stream as the simulated service has. */
async function expectTables(book: Workbook): Promise<void> {
  const moves = byStream(book, 'Rows')
  for (const stream of STREAMS)
    expect([stream, moves[stream]?.['Rows after']]).toEqual([stream, await trueRows(stream)])
}

describe('the reconciliation of a first night', () => {
  let book: Reconciled
  beforeAll(async () => {
    await world.sync()
    book = await reconciled('2026-07-08')
  })

  it('balances, reports every list as completely read, and counts all rows', async () => {
    expect(wholeSlices(book)).toEqual(ALL_LISTS)
    expect(new Set(Object.values(verdicts(book)))).toEqual(new Set(['balanced']))
    expect(book.settled).toBe(true)
    expect(book.notes('Provenance').join()).toContain(`All ${STREAMS.length} streams balance, and`)
    expect(book.notes('Summary').join()).toContain('streams balance')
    await expectTables(book)
  })

  it('shows the service’s total, and that all records were received and inserted', async () => {
    const records = byStream(book, 'Records')
    const count = await trueRows('users')
    expect(records.users).toMatchObject({
      Received: count,
      Inserted: count,
      Updated: 0,
      Quarantined: 0,
    })
    expect(records.users).toMatchObject({ 'Service’s total': count, 'Not accounted for': 0 })
  })
})

describe('a night with many events', () => {
  let book: Reconciled
  let changed: Awaited<ReturnType<World['mutate']>>
  beforeAll(async () => {
    await world.advance(DAY_MS)
    changed = await world.mutate({
      ops: [
        { kind: 'numbers', action: 'remove', index: 3 },
        { kind: 'numbers', action: 'change', index: 4, patch: { assignee: 7 } },
        { kind: 'numbers', action: 'add' },
        { kind: 'users', action: 'change', index: 1, patch: { status: 'inactive' } },
      ],
    })
    await world.faults([{ kind: 'status', status: 500, operation: 'classification_labels.list' }])
    world.ways.tell = ({ path, query }, { body }) => {
      const { users } = body as { users?: unknown[] }
      if (path.endsWith('/users') && query.get('status') === 'active') users?.push({})
    }
    await world.sync({ jobs: nightly })
    delete world.ways.tell
    await world.faults([])
    await insertFiles(world.warehouse)
    await insertCheckpoints(world.warehouse)
    book = await reconciled('2026-07-09')
  })

  it('counts exactly the rows that the service changed', async () => {
    const moves = byStream(book, 'Rows')
    const { inserted, updated, deleted } = changed.phone_numbers!
    expect([inserted, updated, deleted]).toEqual([1, expect.any(Number), 1])
    expect(moves.phone_numbers).toMatchObject({
      Verdict: 'balanced',
      'Rows before': TINY.numbers,
      Inserted: inserted,
      Changed: updated,
      Deleted: deleted,
      'Rows after': await trueRows('phone_numbers'),
      'Not accounted for': 0,
    })
    expect(byStream(book, 'Records').phone_numbers).toMatchObject({ Received: TINY.numbers })
    const assigned = changed.phone_number_assignments!
    expect(moves.phone_number_assignments).toMatchObject({
      Inserted: assigned.inserted,
      Changed: assigned.updated,
      Deleted: assigned.deleted,
    })
  })

  it('accounts for every record received, including the quarantined one', () => {
    const users = byStream(book, 'Records').users
    const shown = TINY.users + 1
    expect(users).toMatchObject({ Verdict: 'quarantined', Received: shown, Quarantined: 1 })
    expect(changed.users).toEqual({ inserted: 0, updated: 1, deleted: 0 })
    expect(users).toMatchObject({ Updated: 1, Unchanged: TINY.users - 1, 'Not accounted for': 0 })
    expect(byStream(book, 'Rows').users).toMatchObject({
      Changed: 1,
      'Rows after': TINY.users,
    })
  })

  it('names the slice that failed, and the run that last tried it', async () => {
    expect(byStream(book, 'Slices').classification_labels).toMatchObject({
      Verdict: 'incomplete',
      Planned: 1,
      Failed: 1,
      'Still not proven': 1,
    })
    const [open, ...others] = book.records('Not proven', 'Stream')
    expect(others).toEqual([])
    expect(open).toMatchObject({ Stream: 'classification_labels', Slice: 'all', State: 'failed' })
    expect(open?.['Complete since']).toBeNull()
    const failed = book.records('Runs', 'Run').find(({ Job }) => Job === 'whiteboards')
    expect(open?.['Last tried by run']).toBe(failed?.Run)
  })

  it('marks data that no run of the day read as unread and not balanced', () => {
    expect(verdicts(book)).toMatchObject({
      session_reports: 'not read',
      recording_files: 'not read',
    })
    expect(book.settled).toBe(false)
    const story = book.notes('Provenance').join()
    expect(story).toContain(`Of ${STREAMS.length} streams, `)
    expect(story).toContain('1 has quarantined records')
    const groups = book.records('Summary', 'Verdict')
    const unbalanced = groups.map((row) => row['Streams, and what to do']).join('\n')
    expect(unbalanced).toMatch(/^users: /m)
    expect(unbalanced).toMatch(/^classification_labels: /m)
    expect(unbalanced).not.toContain('phone_numbers')
  })

  it('lists the remedies on the Summary sheet, most severe first', () => {
    const failed = book.records('Runs', 'Run').find(({ Job }) => Job === 'whiteboards')
    const shown = book.notes('Summary')
    const at = shown.findIndex((text) => text.startsWith('classification_labels'))
    expect(shown.slice(at, at + 3)).toEqual([
      'classification_labels is incomplete: 1 slice not proven. Run "callsheet runs ' +
        `${String(failed?.Run)} --account account-0" to see why, then "callsheet sync whiteboards ` +
        '--account account-0".',
      '26 streams were not read: carrier_peering_numbers, peering_numbers and 24 others. Run ' +
        '"callsheet sync --account account-0".',
      'users has quarantined records: 1 record could not become rows. Read the reasons in the table ' +
        'callsheet.quarantine, and report the records to the service’s support.',
    ])
  })

  it('counts the files of the day by kind and state, with the incidents', () => {
    const files = book.records('Files', 'Kind').filter((row) => row['On the day'] !== 0)
    expect(files.map((row) => [row.Kind, row.State, row['On the day']])).toEqual([
      ['recording', 'expired', 1],
      ['recording', 'stored', 2],
    ])
    expect(book.figure('Summary', 'Files lost')).toBe(1)
    expect(book.records('Files', 'At')).toMatchObject([{ Subject: 'recording:s3:f', Run: null }])
  })
})

it('the reconciliation lists the checkpoints signed on the day, with the entries of each', async () => {
  const book = await reconciled('2026-07-09')
  const shown = book
    .records('Evidence', 'Log size')
    .map((row) => [row['Log size'], row['Size and root'], row['Entries added']])
  expect(shown).toEqual([
    [30, '30:root 2', 20],
    [60, '60:root 3', 30],
  ])
  expect(book.figure('Provenance', 'Last checkpoint of the day')).toBe('60:root 3')
  expect(book.figure('Summary', 'Evidence entries')).toBe(50)
})

describe('the reconciliation of the next night', () => {
  const third = '2026-07-10'
  let book: Workbook
  beforeAll(async () => {
    await world.advance(DAY_MS)
    await world.sync({ jobs: nightly })
    book = await reconciled(third)
  })

  it('balances again, and settles open items', async () => {
    expect(verdicts(book)).toMatchObject({
      users: 'balanced',
      phone_numbers: 'balanced',
      classification_labels: 'balanced',
    })
    expect(book.figure('Summary', 'Slices not proven')).toBe(0)
    const before = await reconciled()
    expect(before.subtitle('Provenance')).toContain('2026-07-09')
    const [open] = before.records('Not proven', 'Stream')
    expect(open).toMatchObject({ Slice: 'all', 'Complete since': expect.any(Date) })
    const later = book.records('Runs', 'Run').find(({ Job }) => Job === 'whiteboards')
    const nothing = `Nothing to do: run ${String(later?.Run)} has read it since.`
    expect(byStream(before, 'Streams').classification_labels?.['What to do']).toBe(nothing)
  })

  it.each(TAMPERED)('is not trusted if somebody changed %s', async (_what, change, why) => {
    const mine = sql`${change} and ${sql.ref(why?.includes('written') === true ? 'id' : 'run_id')}
      = (select max(id) from callsheet.runs where job = 'phone-numbers')`
    const undo = await copyOf(world.warehouse)
    await mine.execute(world.warehouse.db)
    const line = byStream(await reconciled(third), 'Streams').phone_numbers!
    const again = '"callsheet sync phone-numbers --account account-0 --stream phone_numbers"'
    expect(line.Verdict).toBe(why === undefined ? 'counted twice' : 'does not add up')
    expect(line.Reason).toContain(why ?? 'counted twice')
    expect(line['What to do']).toContain(why === undefined ? 'Nothing to do' : again)
    await undo()
  })
})

const nightly = [usersJob, phoneNumbers, whiteboards]

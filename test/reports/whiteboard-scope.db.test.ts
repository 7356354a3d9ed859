import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import whiteboardAudit from '../../reports/whiteboard-audit.ts'
import { type AuditWorld, OCTOBER, OPEN, total, useAuditWorld } from './audit-world.ts'
import * as fixture from './whiteboard-fixture.ts'
import { readWorkbook, type Workbook } from './workbook.ts'

let world: AuditWorld

/** All files are stored, except two expired ones of u0 on wb-2, in s000100. */
useAuditWorld(whiteboardAudit, async (opened) => {
  world = opened
  await world.seed('acme')
  await fixture.insertBoards(world.warehouse, 'acme')
  await sql`
    with files as (
      insert into callsheet.files (account, kind, parent, item, state, reason, sha256, size, state_at, tries)
      select account, 'activity', session_id, id, case when lost then 'expired' else 'stored' end,
        case when lost then 'the archive expired' end, case when not lost then sha256('x') end,
        case when not lost then 1 end, '2026-11-19T12:00:00Z', 1
      from (select *, session_id = 's000100' and id in ('a0', 'a2') as lost
        from svc.whiteboard_activities where account = 'acme') a returning *)
    insert into callsheet.incidents (account, kind, subject, at, detail)
    select account, 'expired_before_download', 'activity:' || parent || ':' || item,
      '2026-11-15T00:00:00Z', 'expired' from files where state = 'expired'`.execute(
    world.warehouse.db,
  )
})

const boardsOf = (book: Workbook) => total(book.records('Boards', 'Link access'), 'Boards')

it('the audit without a filter reports all losses and incidents', async () => {
  const all = await world.audit('acme')
  expect(all.notes('Summary')).toEqual([
    'Lost files: 2 files expired before being stored. See the sheet Files.',
    '2 incidents are recorded: see the sheet Incidents.',
    expect.stringMatching(/^2 people from outside the account took part, in /),
    expect.stringMatching(
      /^As far as it could be tested, no unusual activity was found in 2026-10/,
    ),
  ])
  expect(all.rows('Incidents', 'At')).toHaveLength(2)
  expect(boardsOf(all)).toBe(12)
})

describe('an audit of one person', () => {
  let book: Workbook
  beforeAll(async () => {
    book = await world.audit('acme', { user: 'P1@example.com' })
  })

  it('reports nothing about the whole account', () => {
    expect(book.notes('Summary')).toEqual([
      'Only the user Person 1: no files of 2026-10 were lost, and no incidents are recorded.',
    ])
    expect(book.rows('Incidents', 'At')).toEqual([
      ['Only the user Person 1: no incidents are recorded.'],
    ])
    const figure = (label: string): unknown => book.figure('Summary', label)
    for (const label of ['Sessions', 'Files stored']) expect(figure(label)).toBeDefined()
    for (const label of ['People', 'People from outside', 'Activities from outside'])
      expect(figure(label)).toBeUndefined()
  })

  it('omits the counts of other people, instead of showing zero', async () => {
    for (const [sheet, header] of [
      ['Sessions', 'Start'],
      ['Activities', 'Type'],
      ['Activities', 'Board'],
      ['Boards', 'Board'],
    ] as const)
      expect(Object.keys(book.records(sheet, header)[0] ?? {}).join()).not.toMatch(
        /People|[Ff]rom outside/,
      )
    expect(book.notes('From outside')).toEqual([
      expect.stringContaining('leaves out people from outside'),
    ])
  })

  it('counts only the boards of the person’s sessions', async () => {
    const theirs = await world.counted(sql`select count(distinct whiteboard_id)
      from svc.whiteboard_sessions s where account = 'acme' and ${OPEN} and (id in (
        select session_id from svc.whiteboard_participants where account = 'acme' and user_id = 'u0')
      or id in (select session_id from svc.whiteboard_activities
        where account = 'acme' and user_id = 'u0' and ${OCTOBER}))
      and whiteboard_id = 'wb-2'`)
    const both = await world.audit('acme', { user: 'u0', whiteboard: 'wb-2' })
    expect([theirs, boardsOf(both)]).toEqual([1, 1])
    expect(boardsOf(book)).toBe(book.records('Boards', 'Board').length)
    expect(both.notes('Summary')[0]).toContain('Lost files: 2 files expired')
  })
})

it('the audit of one board counts the people from outside on that board', async () => {
  const book = await world.audit('acme', { whiteboard: 'wb-3' })
  expect(book.notes('Summary')).toEqual([
    'Only the board wb-3: no files of 2026-10 were lost, and no incidents are recorded.',
    expect.stringMatching(/^Only the board wb-3: 2 people from outside the account took part, in /),
  ])
})

it.each([
  [{ user: 'typo@corp.example' }, 'Nobody with the ID or e-mail address typo@corp.example'],
  [{ whiteboard: 'wb-typo' }, 'No board with the ID wb-typo was found'],
])('the audit warns if nothing has the given ID or email address: %o', async (filter, text) => {
  const { warnings } = await world.publish('acme', filter)
  expect(warnings).toEqual([expect.stringContaining(text)])
  const book = await world.audit('acme', filter)
  for (const sheet of ['Provenance', 'Summary'])
    expect(book.notes(sheet)).toContainEqual(expect.stringContaining(text))
  expect(book.notes('Summary')[1]).toMatch(
    /^Only the .*: there are no archived sessions in 2026-10/,
  )
})

it('the audit does not warn about a known person or board without activity', async () => {
  for (const filter of [{ user: 'u11' }, { whiteboard: 'wb-11' }]) {
    expect((await world.audit('acme', filter)).notes('Summary')).toHaveLength(1)
    expect((await world.publish('acme', filter)).warnings).toEqual([])
  }
})

it('the audit names person and board on every sheet and page', async () => {
  const filter = { user: 'P1@example.com', whiteboard: `wb-3${'&'.repeat(100)}` }
  const { files } = await world.publish('acme', filter, ['xlsx', 'html'])
  const [workbook, page] = files.map(({ path }) => path)
  const book = await readWorkbook(workbook ?? '')
  const subtitle =
    /Account acme · 2026-10 · only whiteboard wb-3&+… · only user P1@example\.com · as of/
  for (const sheet of book.sheets.filter((name) => name !== 'Chart data'))
    expect([sheet, book.subtitle(sheet)]).toEqual([sheet, expect.stringMatching(subtitle)])
  expect(await readFile(page ?? '', 'utf8')).toContain('· only user P1@example.com · as of')
})

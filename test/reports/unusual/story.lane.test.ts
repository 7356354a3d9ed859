import { type RawBuilder, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import whiteboardArchives from '../../../jobs/whiteboard-archives.ts'
import whiteboardsJob from '../../../jobs/whiteboards.ts'
import whiteboardAudit from '../../../reports/whiteboard-audit.ts'
import { HOUR_MS } from '../../../sandbox/base/wire-time.ts'
import { whiteboardStory } from '../../../sandbox/whiteboards/whiteboard-story.ts'
import { openWorld, TINY, WORLD_NOW, type World } from '../../helpers/world.ts'
import { type Line, readSheets, type Sheets } from '../read-sheets.ts'

/** The scenario of the demo's company, with fewer archives. */
const SIZES = { ...TINY, users: 500, whiteboards: 300, activities: 2_400 }
const SHEET = 'Unusual activity'
const JUNE = { from: '2026-06-01', to: '2026-06-30' }
/** Deletes three of the company’s boards. */
const BOARDS_GONE = [60, 61, 62].map((index) => ({ kind: 'boards', action: 'remove', index }))
let world: World
let june: Sheets

const audit = (params: { from: string; to: string }, more: object = {}): Promise<Sheets> =>
  readSheets(world.warehouse, {
    report: whiteboardAudit,
    account: 'account-0',
    params,
    timeZone: 'UTC',
    settings: { baseDays: 120, nightHours: '0-6' },
    ...more,
  })

beforeAll(async () => {
  world = await openWorld({ sizes: SIZES })
  const jobs = [whiteboardArchives, whiteboardsJob]
  await world.sync({ jobs })
  await world.mutate({ ops: [...whiteboardStory(), ...BOARDS_GONE] })
  await world.advance(HOUR_MS)
  await world.sync({ jobs, full: true })
  june = await audit(JUNE)
}, 120_000)
afterAll(() => world.close())

/** The rows of a query over the account's tables. */
async function asked<Row>(query: RawBuilder<Row>): Promise<Row[]> {
  return (await query.execute(world.warehouse.db)).rows
}

function finding(kind: string): { line: Line; traces: Line[] } {
  const lines = june
    .lines(SHEET, 'Findings and near-findings')
    .filter((one) => one.Kind === kind && one.Verdict === 'unusual')
  expect(lines).toHaveLength(1)
  const traces = june
    .lines(SHEET, 'Events of the findings')
    .filter((one) => one.Finding === lines[0]?.Finding)
  return { line: lines[0] ?? {}, traces }
}

const BASE = sql`'2026-02-01Z' and '2026-06-01Z'`

describe('the audit of the demo’s company', () => {
  it('summarizes its findings, one of each kind', () => {
    const [, said = ''] =
      /Unusual activity in 2026-06: (.*)\. Ask/.exec(june.notes('Summary')) ?? []
    expect(said.replaceAll(/, \d+ |(?<=^|; )\d+ /g, ' # ').split('; ')).toEqual([
      'Rosa Diallo # boards on 2026-06-23',
      'Mina Virtanen # deletions on 2026-06-18',
      'Omar Singh # activities at night on 2026-06-11',
      ' # new people from outside on 2026-06-25',
    ])
    const counts = june.lines(SHEET, 'Findings and near-findings').map((line) => line.Count)
    const numbers = [...said.matchAll(/(?:^|[,;]) ?(\d+) /g)].map(([, number]) => Number(number))
    expect(numbers).toEqual(counts.slice(0, 4))
    expect(june.links('Summary')).toEqual([SHEET])
    expect(june.tone('Summary', 'Unusual activity in 2026-06')).toBe('bad')
    // The worst comes first.
    const places = ['Unusual activity', 'No files of', ' from outside the account took part'].map(
      (text) => june.notes('Summary').indexOf(text),
    )
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(Math.min(...places)).toBeGreaterThanOrEqual(0)
  })

  it('finds the person who emptied two boards, and lists each deletion', async () => {
    const acts = await asked(sql<{ id: string; user_id: string; name: string; objects: number }>`
      select a.id, a.user_id, a.collaborator_name as name,
        greatest(1, coalesce(cardinality(a.object_ids), 0)) as objects
      from svc.whiteboard_activities a where a.type = 'delete shape'
        and a.create_time between '2026-06-18T14:05Z' and '2026-06-18T15:00Z'`)
    const objects = acts.reduce((sum, act) => sum + act.objects, 0)
    const [first] = acts
    const { line, traces } = finding('Mass deletion')
    expect(line).toMatchObject({
      Day: '2026-06-18',
      Who: first?.name,
      'User ID': first?.user_id,
      Count: objects,
      Boards: 2,
      Sessions: 2,
    })
    expect(acts).toHaveLength(130)
    expect(new Set(traces.map((one) => one['Activity ID']))).toEqual(
      new Set(acts.map(({ id }) => id)),
    )
    const [own] = await asked(sql<{ days: number; objects: number }>`
      select count(distinct day)::int as days, sum(objects)::int as objects from (
        select a.create_time::date as day, case when type like 'delete%'
          then greatest(1, coalesce(cardinality(object_ids), 0)) else 0 end as objects
        from svc.whiteboard_activities a
        where user_id = ${first?.user_id} and create_time between ${BASE}
        union all select joined_at::date, 0 from svc.whiteboard_participants
        where user_id = ${first?.user_id} and joined_at between ${BASE}) d`)
    expect(line['Own days']).toBe(own?.days)
    expect(line['Own rate']).toBeCloseTo((own?.objects ?? 0) / (own?.days ?? 0), 9)
    expect(june.notes(SHEET)).toContain(
      `${String(first?.name)} made ${objects} deletions on 2 boards (`,
    )
  })

  it('finds the person who worked at night, with the times', async () => {
    const acts = await asked(sql<{ id: string; user_id: string; at: string }>`
      select id, user_id, to_char(create_time, 'YYYY-MM-DD"T"HH24:MI:SS') as at
      from svc.whiteboard_activities
      where create_time between '2026-06-11T01:20Z' and '2026-06-11T03:00Z' and type = 'edit text'
      order by create_time`)
    const { line, traces } = finding('At night')
    expect(line).toMatchObject({ Day: '2026-06-11', Count: 130, 'User ID': acts[0]?.user_id })
    expect([line.From, line.To]).toEqual([acts[0]?.at, acts.at(-1)?.at])
    expect(traces).toHaveLength(130)
    expect(june.notes(SHEET)).toContain(
      'had 130 activities at night (00:00–06:00 UTC) on 1 board (',
    )
  })

  it('finds the person who opened forty boards in a day, and lists each', async () => {
    const [most] = await asked(sql<{ user_id: string; boards: number; ids: string[] }>`
      select p.user_id, count(distinct s.whiteboard_id)::int as boards,
        array_agg(distinct s.whiteboard_id) as ids
      from svc.whiteboard_participants p join svc.whiteboard_sessions s on s.id = p.session_id
      where p.joined_at::date = '2026-06-23' and p.user_id <> ''
      group by p.user_id order by 2 desc limit 1`)
    const { line, traces } = finding('Many boards')
    expect(most?.boards).toBeGreaterThanOrEqual(40)
    expect(line).toMatchObject({ Day: '2026-06-23', Count: most?.boards, 'User ID': most?.user_id })
    expect(new Set(traces.map((one) => one['Board ID']))).toEqual(new Set(most?.ids))
    expect(traces.every((one) => String(one['Session ID']) !== '')).toBe(true)
  })

  it('finds people of another company, with the board that they opened and its sharing', async () => {
    const come = await asked(sql<{ name: string }>`
      select distinct user_name as name from svc.whiteboard_participants p
      where email = '' and joined_at::date = '2026-06-25' and not exists (
        select from svc.whiteboard_participants b where b.email = '' and b.user_name = p.user_name
          and b.joined_at >= '2026-04-26Z' and b.joined_at < '2026-06-25Z')`)
    const { line } = finding('New from outside')
    expect(line).toMatchObject({ Day: '2026-06-25', Count: come.length })
    const guests = june
      .lines(SHEET, 'New people from outside')
      .filter((one) => String(one.Name).endsWith('(Tidewater Labs)'))
    expect(guests).toHaveLength(12)
    const anew = await asked(sql<{ name: string }>`
      select distinct user_name as name from svc.whiteboard_participants p
      where email = '' and joined_at >= '2026-06-01Z' and joined_at < '2026-07-01Z' and not exists (
        select from svc.whiteboard_participants b where b.email = '' and b.user_name = p.user_name
          and b.joined_at < p.joined_at::date and b.joined_at >= p.joined_at::date - 60)`)
    const names = june.lines(SHEET, 'New people from outside').map((one) => one.Name)
    expect(new Set(names)).toEqual(new Set(anew.map(({ name }) => name)))
    const [owner] = await asked(sql<{ name: string }>`
      select collaborator_name as name from svc.whiteboard_collaborators
      where role = 0 and whiteboard_id = ${guests[0]?.['Board ID']}`)
    for (const one of guests)
      expect(one).toMatchObject({
        'Link access': 'anyone',
        'Owner of the board': owner?.name,
        'First seen': expect.stringMatching(/^2026-06-25T13:00/),
      })
  })

  it('has the same numbers of tests and of base days as SQL', async () => {
    const days = sql`(
      select coalesce(nullif(user_id, ''), 'name: ' || collaborator_name) as who,
        create_time::date as day from svc.whiteboard_activities
      union select coalesce(nullif(user_id, ''), 'name: ' || user_name), joined_at::date
        from svc.whiteboard_participants)`
    const [counted] = await asked(sql<{ tests: number; units: number }>`
      select count(*) filter (where day between '2026-06-01' and '2026-06-30')::int as tests,
        count(*) filter (where day between '2026-02-01' and '2026-05-31')::int as units
      from ${days} d`)
    const [objects] = await asked(sql<{ n: number }>`
      select sum(greatest(1, coalesce(cardinality(object_ids), 0)))::int as n
      from svc.whiteboard_activities where type like 'delete%' and create_time between ${BASE}`)
    const [deletion, night, boards, outside] = june.lines(SHEET, 'Tests by kind')
    for (const line of [deletion, night, boards])
      expect(line).toMatchObject({ Tests: counted?.tests, 'Person-days': counted?.units })
    expect(deletion?.['Base count']).toBe(objects?.n)
    expect(outside?.Tests).toBe(30)
    const all = 3 * (counted?.tests ?? 0) + 30
    expect(june.notes(SHEET)).toContain(`all ${all.toLocaleString('en')} tests of this report`)
  })
})

it('the audit is green for a quiet and completely read month, and shows the number of tests', async () => {
  const may = await audit(
    { from: '2026-05-01', to: '2026-05-31' },
    { settings: { baseDays: 90, nightHours: '0-6' } },
  )
  expect(may.notes('Summary')).toMatch(
    /No unusual activity was found in 2026-05 \([0-9,]+ tests\)\./,
  )
  expect(may.tone('Summary', 'No unusual activity')).toBe('good')
  expect(may.lines(SHEET, 'Events of the findings')).toEqual([])
})

it('the audit reports boards that disappeared from the list, without testing them', async () => {
  const july = await audit({ from: '2026-07-01', to: '2026-07-08' })
  expect(july.notes(SHEET)).toContain(
    'In 2026-07-01..2026-07-08, 3 whole boards were found to be deleted, and 0 in the 120 days',
  )
  expect(june.notes(SHEET)).toContain('In 2026-06, no whole board was found to be deleted')
})

it('the audit as of an earlier moment uses no later data', async () => {
  const then = await audit(JUNE, { endedByMs: Date.parse(WORLD_NOW) + HOUR_MS / 2 })
  expect(then.notes('Summary')).toContain('No unusual activity was found in 2026-06')
  expect(then.notes('Summary')).not.toContain('mass deletion')
})

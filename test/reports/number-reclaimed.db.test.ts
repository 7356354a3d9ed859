import { beforeAll, expect, it } from 'vitest'
import type { Warehouse } from '../../src/warehouse/connect.ts'
import { useWarehouse } from '../helpers/database.ts'
import * as fixture from './fixture.ts'
import { endRows, insertRow, readInventory } from './number-world.ts'

interface Life {
  id: string
  /** The days on which an assignment began and ended; without an end it lasts. */
  holds: readonly (readonly [from: string, to?: string])[]
  gone?: string
  status?: string
  type?: string
}

const FIRST = '2026-08-01'
const LAST = '2026-11-20'
const LIVES: readonly Life[] = [
  { id: 'returned', holds: [], gone: '2026-10-05' },
  { id: 'returned-late', holds: [[FIRST, '2026-09-01']], gone: '2026-11-03' },
  { id: 'reassigned', holds: [[FIRST, '2026-09-01'], ['2026-10-20']] },
  { id: 'quarantined', holds: [[FIRST, '2026-10-01'], ['2026-10-10']] },
  { id: 'gone-in-use', holds: [[FIRST, '2026-10-05']], gone: '2026-10-05' },
  { id: 'pending', holds: [], gone: '2026-11-03', status: 'Pending' },
  { id: 'unpriced', holds: [], gone: '2026-11-03', type: 'TollFree' },
  { id: 'handed-over', holds: [[FIRST, '2026-10-05'], ['2026-10-05']] },
  { id: 'first-use', holds: [['2026-09-15']] },
  {
    id: 'twice',
    holds: [['2026-09-10', '2026-09-12'], ['2026-11-01']],
  },
  { id: 'idle', holds: [] },
]

let warehouse: Warehouse
useWarehouse((opened) => (warehouse = opened), { poolSize: 2 })
beforeAll(async () => {
  for (const day of daysUpTo(LAST).filter((one) => [FIRST, LAST].includes(one) || changes(one))) {
    const finishedAt = `${day}T03:00:00Z`
    const run = await fixture.insertRun(warehouse, fixture.numbersRun('hand', finishedAt))
    if (day === LAST) await fixture.insertRun(warehouse, fixture.usersRun('hand', finishedAt))
    for (const life of LIVES) await live(life, day, run)
  }
})

const changes = (day: string): boolean =>
  LIVES.some(({ holds, gone }) => gone === day || holds.flat().includes(day))

async function live({ id, holds, gone, status, type }: Life, day: string, run: number) {
  const seen = { at: `${day}T02:59:00Z`, run }
  const number = { id, number: `+49${id}`, location_country: 'DE', number_type: type ?? 'Toll' }
  if (day === FIRST)
    await insertRow(warehouse, ['phone_numbers', { ...number, status: status ?? 'Normal' }], seen)
  if (holds.some(([, to]) => to === day)) {
    // A run ends a number before its assignments.
    const ended = { ...seen, at: `${day}T02:59:00.002Z` }
    await endRows(warehouse, ['phone_number_assignments', 'phone_number_id', id], ended)
  }
  if (gone === day) await endRows(warehouse, ['phone_numbers', 'id', id], seen)
  const held = { phone_number_id: id, assigned_to_type: 'User', source_channel: '', ordinal: 0 }
  if (holds.some(([from]) => from === day))
    await insertRow(
      warehouse,
      ['phone_number_assignments', { ...held, assigned_to_id: `u-${day}` }],
      seen,
    )
}

function daysUpTo(last: string): string[] {
  const days: string[] = []
  for (let ms = Date.parse(FIRST); ms <= Date.parse(last); ms += 86_400_000)
    days.push(new Date(ms).toISOString().slice(0, 10))
  return days
}

/** Counts each number's idle days one by one. */
function expectedMonths(quarantineDays: number) {
  const months = new Map<
    string,
    { returned: number; reassigned: number; unpriced: number; saved: number }
  >()
  for (const { holds, gone, status, type } of LIVES) {
    let idle = -1
    for (const day of daysUpTo(LAST)) {
      const begins = holds.some(([from]) => from === day)
      const held = holds.some(([from, to]) => from < day && (to === undefined || day < to))
      const ends = holds.some(([, to]) => to === day)
      if (ends) idle = 0
      else idle = held ? -1 : idle + 1
      const ready = idle >= Math.max(1, quarantineDays) && status === undefined
      if ((gone === day || begins) && ready) {
        const month = day.slice(0, 7)
        const row = months.get(month) ?? { returned: 0, reassigned: 0, unpriced: 0, saved: 0 }
        row[gone === day ? 'returned' : 'reassigned']++
        if (type === undefined) row.saved += 2.5
        else row.unpriced++
        months.set(month, row)
      }
      if (gone === day) break
      if (begins) idle = -1
    }
  }
  return months
}

it.each([30, 0, 60])(
  'the inventory counts reclaimed numbers by month, with a quarantine of %s days',
  async (days) => {
    const settings = { quarantineDays: days, prices: { DE: { Toll: 2.5 } } }
    const sheets = await readInventory(warehouse, { settings })
    const expected = expectedMonths(days)
    const months = ['2026-08', '2026-09', '2026-10', '2026-11']
    const total = months.map((month) => expected.get(month)?.saved ?? 0)
    expect(total.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(0)
    expect(
      sheets
        .lines('Reclaimed')
        .map((line) => [
          line.Month,
          line['Left the account'],
          line['Assigned again'],
          line['Without a price'],
          line['Saved a month (EUR)'] ?? 0,
          line['Saved a month in total (EUR)'] ?? 0,
        ]),
    ).toEqual(
      months.map((month, at) => {
        const { returned = 0, reassigned = 0, unpriced = 0 } = expected.get(month) ?? {}
        const sum = total.slice(0, at + 1).reduce((all, one) => all + one, 0)
        return [month, returned, reassigned, unpriced, total[at], sum]
      }),
    )
  },
)

it('the inventory without prices calls savings unknown, and still lists reclaimed numbers', async () => {
  const sheets = await readInventory(warehouse, { settings: { quarantineDays: 30 } })
  expect(sheets.notes('Reclaimed')).toMatch(
    /reclaimed since 2026-08: what they save is unknown; set reports\.settings\.number-inventory\.prices/,
  )
  expect(sheets.lines('Reclaimed').map((line) => line['Saved a month (EUR)'])).toEqual(
    Array.from({ length: 4 }, () => null),
  )
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import numberDetails from '../../jobs/number-details.ts'
import numberSettings from '../../jobs/number-settings.ts'
import phoneNumbersJob from '../../jobs/phone-numbers.ts'
import usersJob from '../../jobs/users.ts'
import { numberStory } from '../../sandbox/numbers/number-story.ts'
import { DEFAULT_SIZES } from '../../sandbox/seed-data/options.ts'
import { DAY_MS } from '../../src/core/time/time.ts'
import { openWorld, TINY, type World } from '../helpers/world.ts'
import { rowsOf } from '../sandbox/with-caller.ts'
import { readInventory } from './number-world.ts'
import type { Line, Sheets } from './read-sheets.ts'

/** The scenario of the demo's company, read night by night as in the demo, with a smaller stock. */
const SIZES = { ...DEFAULT_SIZES, ...TINY, users: 240, numbers: 60 }
const STORY = numberStory(SIZES)
let world: World
let sheets: Sheets

beforeAll(async () => {
  world = await openWorld({ sizes: SIZES })
  for (const [night, { at, ops }] of STORY.entries()) {
    const before = STORY[night - 1]
    if (before !== undefined) await world.advance(Date.parse(at) - Date.parse(before.at))
    await world.mutate({ ops })
    const last = night === STORY.length - 1
    const jobs = last ? [usersJob, numberSettings, numberDetails] : []
    await world.sync({ jobs: [phoneNumbersJob, ...jobs] })
  }
  const settings = { quarantineDays: 30, prices: { NL: { Toll: 1.5 } } }
  sheets = await readInventory(world.warehouse, { settings }, 'account-0')
}, 180_000)
afterAll(() => world.close())

const amsterdam = (sheet: string, column = 'Number'): Line[] =>
  sheets.lines(sheet).filter((line) => String(line[column]).startsWith('+31205550'))

/** The number of days from a night of the story to the last night. */
function daysSince(night: number): number {
  const [from, to] = [STORY[night]?.at ?? '', STORY.at(-1)?.at ?? '']
  return Math.floor((Date.parse(to) - Date.parse(from)) / DAY_MS)
}

describe('the inventory of the demo’s company', () => {
  it('shows since when returned numbers are idle, and their days left in quarantine', () => {
    const back = amsterdam('Unassigned').filter(
      (line) => line['Based on'] === 'end of the last assignment',
    )
    const ends = back.map((line) => [line['Days idle'], line['Quarantine days left']])
    const night = (count: number, of: number): unknown[] => {
      const days = daysSince(of)
      return Array.from({ length: count }, () => [days, Math.max(0, 30 - days)])
    }
    expect(ends).toEqual([...night(3, 1), ...night(5, 2), ...night(4, 3), ...night(2, 4)])
    expect(back.map((line) => line.Reclaimable)).toEqual(back.map((_, at) => at < 8))
  })

  it('shows the block of Amsterdam with its gaps, and the unassigned block of Singapore', () => {
    const titles = [
      'From',
      'Numbers',
      'Assigned',
      'Not in the account',
      'Gaps',
      'Longest free block',
    ]
    const blocks = sheets.lines('Ranges').slice(0, 2)
    // 81 numbers were assigned and 14 returned; 40 to 44 and 85 to 89 do not exist.
    expect(blocks.map((line) => titles.map((title) => line[title]))).toEqual([
      ['+31205550100', 90, 67, 10, 2, 14],
      ['+6565551000', 40, 0, 0, 0, 40],
    ])
  })

  it('estimates when Amsterdam runs out of numbers', async () => {
    const numbers = await rowsOf(world.sandbox, 'phone_numbers')
    const holders = await rowsOf(world.sandbox, 'phone_number_assignments')
    const held = new Set(holders.map((row) => row.phone_number_id))
    const free = numbers.filter(
      (row) =>
        row.site_name === 'Amsterdam office' &&
        row.allocated_product === 'SVC_PHONE' &&
        row.status === 'Normal' &&
        !held.has(row.id),
    ).length
    const [line] = sheets.lines('Days to exhaustion')
    // 50 numbers of the block were assigned ninety days ago, and 67 are assigned now.
    expect(line).toMatchObject({ Site: 'Amsterdam office', Free: free, 'Net growth': 67 - 50 })
    const days = Math.floor((free * 90) / 17)
    expect(line?.['Days left']).toBe(days)
    expect(sheets.notes('Summary')).toContain(
      `Amsterdam office runs out of numbers of the product Phone in about ${days} days (${free} free)`,
    )
  })

  it('finds nearly full policies, rejected orders, and differences to a partner', async () => {
    const full = sheets.lines('SMS coverage', 'Policies').filter((line) => line['Nearly full'])
    expect(full.map((line) => [line.Used, line.Capacity])).toEqual([
      [25, 25],
      [48, 50],
    ])
    const orders = await rowsOf(world.sandbox, 'ported_orders')
    const rejected = orders.filter(({ status }) => status === 'Rejected').length
    const first = sheets.lines('Porting', 'Orders that need attention').map((line) => line.Status)
    expect(first.findIndex((status) => status !== 'Rejected')).toBe(rejected)
    expect(rejected).toBeGreaterThan(0)
    expect(amsterdam('Peering').map((line) => line.Mismatch)).toEqual([
      'inactive at the partner, but in use',
      ...Array.from({ length: 4 }, () => 'assigned on one side only'),
      'different product',
    ])
  })

  it('shows the stock of each month from the nights that were read', () => {
    const assigned = sheets.lines('Trend').map((line) => Number(line.Assigned))
    const steps = assigned.slice(1).map((count, at) => count - (assigned[at] ?? 0))
    // Assigned and returned: 15 and 3 in the second month, 10 and 5 in the third, 6 and 6 in the last.
    expect(steps).toEqual([12, 5, 0])
  })
})

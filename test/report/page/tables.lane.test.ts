import { describe, expect, it } from 'vitest'
import type { Cell, Table } from '../../../src/core/define/report.ts'
import { AWKWARD, table } from './document.ts'
import { type OpenPage, RUNS_HERE, usePages } from './page-stage.ts'

const COLUMNS = [
  { name: 'name', title: 'Name', format: 'text' },
  { name: 'share', title: 'Share', format: 'percent' },
  { name: 'seconds', title: 'Duration', format: 'seconds' },
  { name: 'seen', title: 'Seen', format: 'instant' },
  { name: 'count', title: 'Count', format: 'integer' },
  { name: 'open', title: 'Open', format: 'boolean' },
] as const

/** Rows whose order by text differs from the order by value. */
const ROWS: readonly (readonly Cell[])[] = [
  ['delta', 0.095, 59, '2026-06-09T10:00:00', 1200, true],
  ['Alpha', 0.1, 3_600, '2026-06-10T09:30:00', 90, false],
  ['ångström', 1, 61, '2025-12-31T23:59:00', 9, true],
  ['Zulu', 0, 36_000, null, -5, null],
  ['', 0.004, 5, '2026-06-09T09:59:30', 10, false],
  ['echo 10', null, 600, '2026-07-01T00:00:00', null, true],
  ['Echo 9', 0.25, null, '2026-06-30T12:00:00', 11, false],
]

const list = (rows: Table['rows']): Table => ({
  kind: 'table',
  title: 'List',
  columns: COLUMNS,
  rows,
})

const stage = RUNS_HERE ? usePages() : undefined

/** The texts of the first column. */
async function names({ rows }: OpenPage): Promise<(string | undefined)[]> {
  return (await rows()).map(([name]) => name)
}

async function opened(rows: Table['rows'] = ROWS): Promise<OpenPage> {
  if (stage === undefined) throw new Error('there is no browser')
  return await stage.open(list(rows))
}

describe.runIf(RUNS_HERE)('a table of a page', () => {
  it.each([
    ['Name', ['Alpha', 'ångström', 'delta', 'echo 10', 'Echo 9', 'Zulu', '']],
    ['Share', ['Zulu', '', 'delta', 'Alpha', 'Echo 9', 'ångström', 'echo 10']],
    ['Duration', ['', 'delta', 'ångström', 'echo 10', 'Alpha', 'Zulu', 'Echo 9']],
    ['Seen', ['ångström', '', 'delta', 'Alpha', 'Echo 9', 'echo 10', 'Zulu']],
    ['Count', ['Zulu', 'ångström', '', 'Echo 9', 'Alpha', 'delta', 'echo 10']],
  ])(
    'sorts %s by value, with empty cells last, and returns to the first order',
    async (column, up) => {
      const open = await opened()
      expect(await open.sort(column)).toBe('ascending')
      expect(await names(open)).toEqual(up)
      expect(await open.sort(column)).toBe('descending')
      const [last] = up.slice(-1)
      expect(await names(open)).toEqual([...up.slice(0, -1).reverse(), last])
      expect(await open.sort(column)).toBe('none')
      expect(await names(open)).toEqual(ROWS.map(([name]) => name))
      await open.page.close()
    },
  )

  it('keeps the order of equal cells, and marks only one column as sorted', async () => {
    const open = await opened()
    await open.sort('Count')
    await open.sort('Open')
    expect((await open.rows()).map((row) => row[5])).toEqual([
      'no',
      'no',
      'no',
      'yes',
      'yes',
      'yes',
      '',
    ])
    expect((await names(open)).slice(0, 3)).toEqual(['Alpha', '', 'Echo 9'])
    expect(
      await open.ask(`[...document.querySelectorAll('[aria-sort]')].map((head) => head.ariaSort)`),
    ).toEqual(['none', 'none', 'none', 'none', 'none', 'ascending'])
    await open.page.close()
  })

  it.each([
    ['Name', 'echo', ['echo 10', 'Echo 9']],
    ['Name', 'ANG', ['ångström']],
    ['Name', '= echo 9', ['Echo 9']],
    ['Name', '=', ['']],
    ['Share', '> 9.5', ['Alpha', 'ångström', 'Echo 9']],
    ['Share', '>= 9.5 %', ['delta', 'Alpha', 'ångström', 'Echo 9']],
    ['Share', '<1', ['Zulu', '']],
    ['Share', '=0.4 %', ['']],
    ['Duration', '>= 1:00:00', ['Alpha', 'Zulu']],
    ['Duration', '< 1:00', ['delta', '']],
    ['Duration', '0:10', ['echo 10']],
    ['Seen', '<= 2026-06-09', ['delta', 'ångström', '']],
    ['Seen', '> 2026-06', ['echo 10']],
    ['Seen', '2026-06-09 1', ['delta']],
    ['Count', '> 1,000', ['delta']],
    ['Count', '< 0', ['Zulu']],
    ['Open', 'yes', ['delta', 'ångström', 'echo 10']],
  ])('filters %s by "%s"', async (column, words, left) => {
    const open = await opened()
    await open.filter(column, words)
    expect(await names(open)).toEqual(left)
    expect(await open.count()).toBe(`${left.length} of 7 rows`)
    await open.filter(column, '')
    expect(await open.count()).toBe('7 rows')
    await open.page.close()
  })

  it('searches all cells as shown, combined with filters, and says if no row matches', async () => {
    const open = await opened()
    await open.search('1:0')
    expect(await names(open)).toEqual(['Alpha', 'ångström'])
    await open.sort('Count')
    expect(await names(open)).toEqual(['ångström', 'Alpha'])
    await open.filter('Count', '>50')
    expect(await names(open)).toEqual(['Alpha'])
    await open.search('1:0x')
    expect(await names(open)).toEqual(['No row is like that.'])
    expect(await open.count()).toBe('0 of 7 rows')
    await open.search('')
    expect(await names(open)).toEqual(['Alpha', 'delta'])
    expect(await open.ask(`document.querySelector('output').ariaLive`)).toBe('polite')
    expect(open.complaints).toEqual([])
    await open.page.close()
  })

  it('has all rows if it is long, but draws only the rows in view', async () => {
    const rows = Array.from({ length: 20_000 }, (_none, at): Cell[] => [
      `row ${(at * 7_919) % 20_000}`,
      at / 20_000,
      at,
      null,
      (at * 7_919) % 20_000,
      at % 2 === 0,
    ])
    const open = await opened(rows)
    expect(await open.count()).toBe('20,000 rows')
    expect((await open.rows()).length).toBeLessThan(150)
    await open.sort('Count')
    expect((await names(open)).slice(0, 3)).toEqual(['row 0', 'row 1', 'row 2'])
    const seen = async (top: number) => {
      await open.ask(`void (document.querySelector('.scroll').scrollTop = ${top})`)
      await open.page.evaluate(
        'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
      )
      return await open.ask<string[]>(`(() => {
        const box = document.querySelector('.scroll').getBoundingClientRect()
        return [...document.querySelector('tbody').rows]
          .filter((row) => row.getBoundingClientRect().bottom > box.top + 40 &&
            row.getBoundingClientRect().bottom <= box.bottom)
          .map((row) => row.cells[0].textContent)
      })()`)
    }
    const middle = await seen(300_000)
    expect(middle.length).toBeGreaterThan(10)
    const first = Number(middle[0]?.slice(4))
    expect(Math.abs(first - 10_000)).toBeLessThan(20)
    expect(middle).toEqual(middle.map((_name, at) => `row ${first + at}`))
    expect((await seen(1e9)).at(-1)).toBe('row 19999')
    await open.search('row 1999')
    expect(await open.count()).toBe('11 of 20,000 rows')
    expect((await names(open)).slice(0, 2)).toEqual(['row 1999', 'row 19990'])
    expect(open.complaints).toEqual([])
    await open.page.close()
  })

  it('draws each cell by script exactly as in the page’s HTML', async () => {
    const kinds: Cell[] = [
      null,
      0,
      -0.04,
      0.0004,
      1234567.891,
      -0.12345,
      86_399.6,
      true,
      'bad',
      'complete',
    ]
    // The browser turns a carriage return in a page into a line feed.
    const texts = [
      ...AWKWARD.filter((text) => !text.includes('\r')),
      '2026-10-31T23:59:59',
      'x'.repeat(25),
      '\u0085\u007f\u2028',
    ]
    const rows = [...kinds, ...texts].map((cell): Cell[] =>
      Array<Cell>(COLUMNS_OF_ALL.length).fill(cell),
    )
    const all: Table = { kind: 'table', title: 'All', columns: COLUMNS_OF_ALL, rows }
    const open = await stage?.open(all)
    const body = () => open?.ask<string>(`document.querySelector('tbody').innerHTML`)
    const before = await body()
    for (let click = 0; click < 3; click++) await open?.sort('text')
    const after = await body()
    // Only the script adds row numbers, the full text as a title, and gap rows.
    const own = / aria-rowindex="\d+"| title="[^"]*"|<tr class="gap".*?<\/tr>|\n(?=<tr)/g
    expect(before?.match(/<tr>/g)?.length).toBe(rows.length)
    expect(after).toMatch(/aria-rowindex/)
    expect(after?.replace(own, '').split('</tr>')).toEqual(before?.replace(own, '').split('</tr>'))
    await open?.page.close()
  })

  it('can be used by keyboard alone', async () => {
    const open = await opened()
    const { page, ask } = open
    const focus = () =>
      ask<string>(`document.activeElement.ariaLabel ?? document.activeElement.textContent`)
    const seen: string[] = []
    for (let tab = 0; tab < 6; tab++) {
      await page.keyboard.press('Tab')
      seen.push(await focus())
    }
    expect(seen).toEqual(['Tables', 'Search List', 'Filters of List', 'List', 'Name', 'Share'])
    await page.keyboard.press('Enter')
    expect(await names(open)).toEqual([
      'Zulu',
      '',
      'delta',
      'Alpha',
      'Echo 9',
      'ångström',
      'echo 10',
    ])
    expect(await focus()).toBe('Share')
    await page.keyboard.down('Shift')
    for (let tab = 0; tab < 3; tab++) await page.keyboard.press('Tab')
    await page.keyboard.up('Shift')
    await page.keyboard.press('Space')
    expect(await ask(`document.activeElement.ariaExpanded`)).toBe('true')
    expect(await ask(`document.querySelector('.filters').hidden`)).toBe(false)
    await page.close()
  })
})

const COLUMNS_OF_ALL = [
  ...(
    ['text', 'integer', 'decimal', 'percent', 'date', 'instant', 'seconds', 'boolean'] as const
  ).map((format) => ({ name: format, title: format, format })),
  ...table([]).columns,
  { name: 'money', title: 'Money', format: 'money' },
  { name: 'state', title: 'State', format: 'text', tint: 'state' },
  { name: 'changed', title: 'Changed', format: 'seconds', tint: 'change' },
] as const

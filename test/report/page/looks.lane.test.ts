import axe from 'axe-core'
import type { Page } from 'puppeteer-core'
import { describe, expect, it } from 'vitest'
import type { Cell, ReportDocument, Table } from '../../../src/core/define/report.ts'
import { exampleDocument, row, table } from './document.ts'
import { DRAWN, documentOf, RUNS_HERE, usePages } from './page-stage.ts'

const LOOKS = [390, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
)
const STATES = ['complete', 'not proven', 'incomplete', 'stored', 'expired', 'another']
const QUALITIES = ['good', 'fair', 'poor', 'bad']

/** A document with every kind of block, a note in each tone, a long table and a wide one. */
function everything(): ReportDocument {
  const notes = (['plain', 'good', 'warning', 'bad'] as const).map(
    (tone) => ({ kind: 'note', tone, text: `A ${tone} note, ${'endless'.repeat(40)}` }) as const,
  )
  const rows = Array.from({ length: 1_500 }, (_none, at): Cell[] => [
    `row ${at}`,
    '2026-10-31',
    (at % 40) / 100,
    QUALITIES[at % 4] ?? null,
    (at % 3) / 10 - 0.1,
    at,
  ])
  const wide: Table = {
    ...table([]),
    title: 'Wide',
    columns: [
      ...table([]).columns,
      { name: 'state', title: 'State', format: 'text', tint: 'state' },
      ...Array.from({ length: 8 }, (_none, at) => {
        return { name: `c${at}`, title: `A long title of column ${at}`, format: 'text' } as const
      }),
    ],
    rows: STATES.map((state, at) => [
      ...row(`${at}`),
      state,
      ...Array<Cell>(8).fill('text '.repeat(9)),
    ]),
  }
  const [cover, ...others] = exampleDocument(rows).sections
  return {
    ...exampleDocument(),
    subtitle: `Account ${'endless'.repeat(40)}`,
    sections: [
      { title: 'Cover', blocks: [...(cover?.blocks ?? []), ...notes] },
      { title: 'Wide', blocks: [wide, { ...wide, title: 'Second' }] },
      ...others,
      ...Array.from({ length: 9 }, (_none, at) => ({ title: `Section ${at}`, blocks: notes })),
    ],
  }
}

const stage = RUNS_HERE ? usePages() : undefined

async function opened(document: ReportDocument = everything()) {
  if (stage === undefined) throw new Error('there is no browser')
  return await stage.open(document)
}

/** The violations that axe finds, even minor ones, with their elements; and the rules that passed. */
async function judge(page: Page) {
  await page.evaluate(axe.source)
  const { violations, passes } = (await page.evaluate('axe.run()')) as axe.AxeResults
  return {
    violations: violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
    judged: passes.map(({ id }) => id),
  }
}

const beyond = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

describe.runIf(RUNS_HERE)('a page', () => {
  it.each([360, 390, 660])(
    'shows whole charts in readable type on a screen of %i pixels',
    async (width) => {
      const { page, ask } = await opened()
      await page.setViewport({ width, height: 800 })
      await page.evaluate(DRAWN)
      const charts = await ask<{ beyond: number; type: number }[]>(`
        [...document.querySelectorAll('figure svg')].filter((svg) => svg.checkVisibility()).map((svg) => {
          const type = parseFloat(getComputedStyle(svg).fontSize) * svg.getScreenCTM().a
          return { beyond: svg.parentNode.scrollWidth - svg.parentNode.clientWidth, type }
        })`)
      expect(charts).toHaveLength(4)
      expect(Math.max(...charts.map((chart) => chart.beyond))).toBe(0)
      expect(Math.min(...charts.map(({ type }) => type))).toBeGreaterThanOrEqual(9)
    },
    60_000,
  )

  it('keeps room for words in a column of sentences on a phone', async () => {
    const columns = ['Stream', 'Verdict', 'Reason'].map(
      (title) => ({ name: title, title, format: 'text' }) as const,
    )
    const reason = 'no run had read this stream by the end of this day: sync its job'
    const rows = [['phone_number_assignment_details', 'never read', reason]]
    const { page, ask } = await opened(documentOf([{ ...table([]), columns, rows }]))
    await page.setViewport({ width: 390, height: 844 })
    await page.evaluate(DRAWN)
    expect(await ask(`document.querySelector('tbody td:last-child').clientWidth`)).toBeGreaterThan(
      215,
    )
  }, 60_000)

  it.each(LOOKS)(
    'has no accessibility fault at $width pixels, $scheme',
    async ({ width, scheme }) => {
      const { page, complaints, ask } = await opened()
      await page.setViewport({ width, height: 900 })
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
      // Draws all sections, since axe cannot judge those that the browser has not drawn.
      await page.addStyleTag({ content: 'section{content-visibility:visible!important}' })
      for (const toggle of await page.$$('button[aria-expanded]')) await toggle.click()
      await page.evaluate(DRAWN)
      const { violations, judged } = await judge(page)
      expect(violations).toEqual([])
      expect(judged).toContain('color-contrast')
      expect(judged.length).toBeGreaterThan(20)
      expect(await ask(beyond)).toBe(0)
      // The wide table scrolls in its own box.
      expect(
        await ask(`(() => {
      const box = [...document.querySelectorAll('.scroll')].find((one) => one.ariaLabel === 'Wide')
      return box.scrollWidth - box.clientWidth
    })()`),
      ).toBeGreaterThan(width === 390 ? 500 : 0)
      expect(complaints).toEqual([])
      if (process.env.PICTURES)
        await page.screenshot({
          path: `${process.env.PICTURES}/page-${width}-${scheme}.png`,
          fullPage: true,
        })
      await page.close()
    },
  )

  it('is dark if the reader prefers dark pages, including its charts', async () => {
    const { page, ask } = await opened()
    const colours = () =>
      ask<number[]>(`[
        getComputedStyle(document.documentElement).backgroundColor,
        getComputedStyle(document.querySelector('svg text')).fill,
        getComputedStyle(document.querySelector('svg line')).stroke,
        getComputedStyle(document.querySelector('svg rect')).fill,
      ].map((colour) => colour.match(/\\d+/g).reduce((sum, part) => sum + Number(part), 0) / 7.65)`)
    const [page1 = 0, text1 = 0, line1 = 0] = await colours()
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }])
    const [page2 = 0, text2 = 0, line2 = 0, bar2 = 0] = await colours()
    expect(page1).toBe(100)
    expect(text1).toBeLessThan(50)
    expect(page2).toBeLessThan(12)
    expect(text2).toBeGreaterThan(60)
    expect(line2).toBeLessThan(line1)
    expect(bar2).toBeGreaterThan(30)
    await page.close()
  })

  it('keeps the table of contents in sight, and marks the current section', async () => {
    const { page, ask } = await opened()
    const links = await page.$$('nav a')
    expect(links.length).toBe(15)
    await ask(`document.querySelector('#s6').scrollIntoView({ behavior: 'instant' })`)
    await page.evaluate(DRAWN)
    expect(await ask(`document.querySelector('nav').getBoundingClientRect().top`)).toBe(0)
    expect(
      await ask(`document.querySelector('#s6').getBoundingClientRect().top`),
    ).toBeGreaterThanOrEqual(
      (await ask<number>(`document.querySelector('nav').getBoundingClientRect().bottom`)) - 1,
    )
    expect(
      await ask(`[...document.querySelectorAll('nav [aria-current]')].map((link) => link.hash)`),
    ).toEqual(['#s6'])
    await page.close()
  })

  it('is printed in light colors, without contents and tools, and says how many rows it shows', async () => {
    const { page, ask, search } = await opened({
      ...everything(),
      sections: everything().sections.slice(3, 4),
    })
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }])
    await page.emulateMediaType('print')
    await page.evaluate(DRAWN)
    const shown = (selector: string) =>
      ask(
        `[...document.querySelectorAll('${selector}')].filter((one) => one.checkVisibility()).length`,
      )
    expect(await shown('nav, input, .tools, output')).toBe(0)
    expect(await ask(`getComputedStyle(document.documentElement).backgroundColor`)).toBe(
      'rgb(255, 255, 255)',
    )
    expect(await shown('tbody tr:not(.gap)')).toBe(100)
    expect(await ask(`document.querySelector('.printed').innerText`)).toBe(
      'Printed: 100 of 1,500 rows. Filter the table to print up to 1,000.',
    )
    expect((await page.pdf()).length).toBeGreaterThan(50_000)
    await page.emulateMediaType('screen')
    await page.evaluate(DRAWN)
    expect(await shown('tbody tr:not(.gap)')).toBeLessThan(200)
    await search('row 149')
    await page.emulateMediaType('print')
    await page.evaluate(DRAWN)
    expect(await shown('tbody tr:not(.gap)')).toBe(11)
    expect(await ask(`document.querySelector('.printed').innerText`)).toBe(
      'Printed: 11 of 1,500 rows.',
    )
    await page.emulateMediaType('screen')
    await search('row 1')
    await page.emulateMediaType('print')
    await page.evaluate(DRAWN)
    expect(await shown('tbody tr:not(.gap)')).toBe(611)
    await page.close()
  })

  it('is readable without JavaScript, and says how many more rows there are', async () => {
    if (stage === undefined) throw new Error('there is no browser')
    const page = await stage.browser.newPage()
    await page.setJavaScriptEnabled(false)
    await page.setViewport({ width: 390, height: 900 })
    await page.goto(await stage.write(everything()))
    await page.addStyleTag({ content: 'section{content-visibility:visible!important}' })
    const text = (await page.evaluate('document.querySelector("main").innerText')) as string
    expect(text).toContain('row 99\t2026-10-31\t19.0')
    expect(text).not.toContain('row 100\t')
    expect(text).toContain('The first 100 rows. There are 1,400 more')
    expect(text).not.toContain('["row')
    expect(await page.evaluate('document.querySelectorAll("button, input").length')).toBe(0)
    expect(await page.evaluate(beyond)).toBe(0)
    await page.close()
  })
})

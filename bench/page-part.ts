import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'puppeteer-core'
import { openBrowser } from '../test/serve/headless.ts'
import { runChild } from './child.ts'
import { type Figure, mebibytes, seconds } from './figures.ts'
import type { PageOrder, WrittenPage } from './page-write.ts'
import type { Part } from './part.ts'

/** What people do in a page, in this order, and how many rows each leaves of a hundred thousand. */
const DOINGS: Readonly<Record<string, string>> = {
  'the first search': `type('.tools input', 'office 77')`,
  'another search': `type('.tools input', 'person 1234')`,
  'a filter by number': `type('.tools input', ''), type('.filters td:nth-child(7) input', '> 2500')`,
  'an order by text': `document.querySelector('thead th:nth-child(4) button').click()`,
}

/** A page is written, opened in a browser without a screen, and searched. */
export const pagePart: Part = {
  about: 'a page of 200,000 rows: written, opened in a browser, searched, sorted',
  async measure({ rows = 200_000, profileDirectory, nodeFlags }) {
    const directory = await mkdtemp(join(tmpdir(), 'callsheet-bench-page-'))
    const browser = await openBrowser()
    try {
      const write = async (count: number) => {
        const path = join(directory, `${count}.html`)
        const options = { profileDirectory, nodeFlags }
        const made = await runChild<PageOrder, WrittenPage>(
          'page-write.ts',
          { path, rows: count },
          options,
        )
        return { ...made, path, bytes: (await stat(path)).size }
      }
      const small = await write(Math.round(rows / 10))
      const large = await write(rows)
      const rounds: Record<string, number>[] = []
      for (let round = 0; round < 3; round++) rounds.push(await work(browser, large.path))
      const name = `page of ${rows.toLocaleString('en')} rows`
      const memory = {
        what: `${name}: peak memory of writing`,
        measured: mebibytes(large.peakBytes),
        beside: `${mebibytes(small.peakBytes)} for a tenth of the rows`,
        target: '<= 1.5 x',
        met: large.peakBytes <= 1.5 * small.peakBytes,
      }
      const written = { what: name, size: mebibytes(large.bytes), time: seconds(large.wallMs) }
      return {
        figures: [...figuresOf(name, rounds), memory],
        tables: [
          {
            title: 'pages, what they took to write',
            lines: [['page', 'size', 'seconds'], Object.values(written)],
          },
        ],
      }
    } finally {
      await browser.close()
      await rm(directory, { recursive: true })
    }
  },
}

/** How many milliseconds it takes until the page stands, and after each doing until its rows do. */
async function work(browser: Browser, path: string): Promise<Record<string, number>> {
  const page = await browser.newPage()
  const startedMs = performance.now()
  await page.goto(pathToFileURL(path).href, { waitUntil: 'load' })
  await page.evaluate(FRAME)
  const times: Record<string, number> = { 'until it stands': performance.now() - startedMs }
  for (const [name, doing] of Object.entries(DOINGS)) times[name] = await timeOf(page, doing)
  await page.close()
  return times
}

async function timeOf(page: Page, doing: string): Promise<number> {
  const startedMs = performance.now()
  await page.evaluate(`(() => {
    const type = (selector, words) => {
      const input = document.querySelector(selector)
      input.value = words
      input.dispatchEvent(new Event('input'))
    }
    ${doing}
  })()`)
  await page.evaluate(FRAME)
  return performance.now() - startedMs
}

/** The middle one of three. */
function figuresOf(name: string, rounds: readonly Record<string, number>[]): Figure[] {
  return Object.keys(rounds[0] ?? {}).map((what) => {
    const times = rounds.map((round) => round[what] ?? Number.NaN).toSorted((a, b) => a - b)
    const middle = times[Math.floor(times.length / 2)] ?? Number.NaN
    return {
      what: `${name}: ${what}`,
      measured: seconds(middle),
      target: '<= 2 s',
      met: middle <= 2_000,
    }
  })
}

const FRAME = 'new Promise((done) => requestAnimationFrame(() => setTimeout(done)))'

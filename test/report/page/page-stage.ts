import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, Page } from 'puppeteer-core'
import { afterAll, beforeAll } from 'vitest'
import type { ReportDocument, Table } from '../../../src/core/define/report.ts'
import { renderHtml } from '../../../src/report/page/html.ts'
import { openBrowser } from '../../serve/headless.ts'
import { exampleDocument } from './document.ts'

/** The browser package runs only on these machines. */
export const RUNS_HERE = process.platform === 'linux' && process.arch === 'x64'

export interface PageStage {
  browser: Browser
  /** Writes the document as a page, and returns its URL. */
  write(document: ReportDocument): Promise<string>
  /** Opens the document, or a document with only this table, as a page. */
  open(what: Table | ReportDocument): Promise<OpenPage>
}

export interface OpenPage {
  page: Page
  /** Console messages, policy violations, dialogs, and requests other than for the page. */
  complaints: string[]
  /** The value of a JavaScript expression in the page. */
  ask<Answer>(expression: string): Promise<Answer>
  /** The cell texts of the drawn rows of the first table. */
  rows(): Promise<string[][]>
  /** The text that says how many rows there are. */
  count(): Promise<string>
  search(words: string): Promise<void>
  /** Shows the filters if they are hidden, and types into the one of the column. */
  filter(column: string, words: string): Promise<void>
  /** Clicks on the head of a column, and returns its `aria-sort` afterwards. */
  sort(column: string): Promise<string>
}

/** Gives the tests of a file their own browser and folder. */
export function usePages(): PageStage {
  const stage = {} as PageStage
  let directory = ''
  let written = 0
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'callsheet-pages-'))
    stage.browser = await openBrowser()
  })
  afterAll(async () => {
    await stage.browser.close()
    await rm(directory, { recursive: true })
  })
  stage.write = async (document) => {
    const path = join(directory, `page-${written++}.html`)
    await renderHtml(document, path)
    return pathToFileURL(path).href
  }
  stage.open = async (what) => {
    const document = 'kind' in what ? documentOf([what]) : what
    const page = await stage.browser.newPage()
    const complaints = await listen(page)
    await page.setViewport({ width: 1280, height: 900 })
    await page.goto(await stage.write(document), { waitUntil: 'load' })
    await page.evaluate(DRAWN)
    return { page, complaints, ...actionsOn(page) }
  }
  return stage
}

export function documentOf(blocks: readonly Table[]): ReportDocument {
  return { ...exampleDocument(), sections: [{ title: 'Tables', blocks }] }
}

/** Waits two frames, so that observers and handlers have run. */
export const DRAWN =
  'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))'

function actionsOn(page: Page): Omit<OpenPage, 'page' | 'complaints'> {
  const ask = async <Answer>(expression: string) => (await page.evaluate(expression)) as Answer
  const type = async (label: string, words: string) => {
    const input = await page.waitForSelector(`input[aria-label="${label}"]`, { visible: true })
    await input?.click({ count: 3 })
    await page.keyboard.press('Backspace')
    if (words !== '') await input?.type(words)
    await page.evaluate(DRAWN)
  }
  const title = () => ask<string>('document.querySelector("caption").textContent')
  return {
    ask,
    rows: () =>
      ask(`[...document.querySelector('tbody').rows].filter((row) => !row.matches('.gap'))
        .map((row) => [...row.cells].map((cell) => cell.textContent))`),
    count: () => ask('document.querySelector("output").textContent'),
    search: async (words) => type(`Search ${await title()}`, words),
    async filter(column, words) {
      if (await ask('document.querySelector(".filters").hidden'))
        await page.click('button[aria-expanded]')
      await type(`Filter ${column}`, words)
    },
    async sort(column) {
      const head = `[...document.querySelector('thead').rows[0].cells]
        .find((head) => head.textContent === ${JSON.stringify(column)})`
      await ask(`${head}.querySelector('button').click()`)
      await page.evaluate(DRAWN)
      return await ask(`${head}.getAttribute('aria-sort')`)
    },
  }
}

async function listen(page: Page): Promise<string[]> {
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('dialog', (dialog) => {
    complaints.push(`a script ran: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on('request', (request) => {
    if (!request.isNavigationRequest()) complaints.push(`asked for ${request.url()}`)
  })
  await page.evaluateOnNewDocument(`document.addEventListener('securitypolicyviolation', (event) =>
    console.error('refused: ' + event.violatedDirective + ' ' + event.blockedURI))`)
  return complaints
}

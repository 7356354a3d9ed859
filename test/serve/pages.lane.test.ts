import type { Browser } from 'puppeteer-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lookAt, openBrowser, runInline } from './headless.ts'
import { HOSTILE, openPageStage, type PageStage } from './page-stage.ts'

let stage: PageStage
let browser: Browser
const LOOKS = [390, 1200].flatMap((width) =>
  (['light', 'dark'] as const).map((scheme) => ({ width, scheme })),
)

const PAGES = [
  ['the accounts', '/'],
  ['an account', '/accounts/account-0'],
  ['an account that was never read', '/accounts/account-1'],
  ['the runs', '/runs'],
  ['a run', '/accounts/account-0/runs/BROKEN'],
  ['the reports', '/reports'],
  ['a missing page', '/nowhere'],
] as const

/** The browser's package supports only these machines. */
const RUNS_HERE = process.platform === 'linux' && process.arch === 'x64'

describe.runIf(RUNS_HERE)('the status page', () => {
  beforeAll(async () => {
    stage = await openPageStage()
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser.close()
    await stage.close()
  })

  describe.each(PAGES)('%s in a browser', (_name, path) => {
    it.each(LOOKS)(
      'fits $width pixels and has no accessibility violations ($scheme)',
      async (look) => {
        const url = `${stage.url}${path.replace('BROKEN', String(stage.brokenRun))}`
        const picture =
          process.env.PICTURES &&
          `${process.env.PICTURES}/${path.replaceAll('/', '_')}-${look.width}-${look.scheme}.png`
        const seen = await lookAt(browser, url, { ...look, ...(picture ? { picture } : {}) })
        const known = path !== '/nowhere'
        expect(seen.status).toBe(known ? 200 : 404)
        // A browser logs a 404 as an error.
        expect(seen.complaints.filter((text) => known || !text.includes('404'))).toEqual([])
        expect(seen.beyond).toBe(0)
        expect(seen.violations).toEqual([])
        expect(seen.judged).toBeGreaterThan(10)
      },
    )
  })

  describe('hostile text', () => {
    it('does not run even as an inline script, because the page’s policy blocks it', async () => {
      const { complaints } = await runInline(browser, stage.url)
      expect(complaints.join(' ')).toMatch(/refused: script-src-elem inline/)
      expect(complaints.join(' ')).not.toContain('a script ran')
    })

    it.each([
      ['in a cause', '/'],
      ['in a run', '/accounts/account-0/runs/BROKEN'],
    ])('%s is shown as text', async (_what, path) => {
      const url = `${stage.url}${path.replace('BROKEN', String(stage.brokenRun))}`
      const seen = await lookAt(browser, url, { width: 390, scheme: 'light' })
      expect(seen.text).toContain(HOSTILE)
      expect(seen.complaints).toEqual([])
    })
  })
})

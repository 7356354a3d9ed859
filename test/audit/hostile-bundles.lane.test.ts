import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'puppeteer-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { verifyBundle } from '../../src/audit/bundle/verify-bundle.ts'
import { verifyPage } from '../../src/audit/page/verify-page.ts'
import { CallsheetError } from '../../src/core/errors.ts'
import type { SigningKey } from '../../src/evidence/log/signing-key.ts'
import { HOSTILE, stateSizes } from '../evidence/hostile-members.ts'
import { signSums } from '../evidence/sign-anew.ts'
import { fillStage, openEvidenceStage } from '../helpers/evidence-stage.ts'
import { exportStage } from '../helpers/export-stage.ts'
import { type Members, readMembers, writeMembers } from '../helpers/rewrite-zip.ts'
import { openBrowser } from '../serve/headless.ts'

const MOST_MS = 5_000
let key: SigningKey
let folder: string
let browser: Browser
let members: Members
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-hostile-'))
  const stage = await openEvidenceStage()
  key = stage.key
  await fillStage(stage)
  await stage.append()
  await exportStage(stage, join(folder, 'whole.zip'))
  members = await readMembers(join(folder, 'whole.zip'))
  writeFileSync(join(folder, 'verify.html'), await verifyPage())
  members.delete('verify.html')
  browser = await openBrowser()
  await stage.close()
})
afterAll(async () => {
  await browser.close()
  rmSync(folder, { recursive: true })
})

/** Returns whether the program refuses a bundle, and the CPU time that it took. */
async function refusal(path: string): Promise<{ refused: boolean; ms: number }> {
  const before = process.cpuUsage()
  const refused = await verifyBundle(path, { stampTrust: { roots: [], nowMs: 0 } }).then(
    ({ findingCount }) => findingCount > 0,
    (error: unknown) => {
      if (error instanceof CallsheetError) return true
      throw error
    },
  )
  const { user, system } = process.cpuUsage(before)
  return { refused, ms: (user + system) / 1000 }
}

/** Returns whether the page refuses a bundle, and the CPU time of the page's thread. */
async function refusalByPage(path: string): Promise<{ refused: boolean; ms: number }> {
  const page = await browser.newPage()
  await page.goto(pathToFileURL(join(folder, 'verify.html')).href)
  const client = await page.createCDPSession()
  await client.send('Performance.enable', { timeDomain: 'threadTicks' })
  const busy = async () => {
    const { metrics } = await client.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN
  }
  const before = await busy()
  const input = (await page.$('#file')) as unknown as { uploadFile(path: string): Promise<void> }
  await input.uploadFile(path)
  await page.waitForFunction(
    `document.querySelector('#result .note') &&
      !/^Reading/.test(document.getElementById('result').innerText)`,
    { timeout: 100_000, polling: 100 },
  )
  const refused = await page.evaluate(`document.querySelector('#result .note.bad') !== null`)
  const after = await busy()
  await page.close()
  return { refused: refused === true, ms: (after - before) * 1000 }
}

it.each(HOSTILE)(
  'a hostile bundle is refused within five seconds of processor time, by program and page: %s',
  { timeout: 240_000 },
  async (_what, change) => {
    const all = new Map(members)
    change(all)
    stateSizes(all)
    signSums(all, key)
    const path = join(folder, 'hostile.zip')
    await writeMembers(path, all)
    expect(statSync(path).size).toBeLessThan(1.1e6)
    for (const { refused, ms } of [await refusal(path), await refusalByPage(path)]) {
      expect(refused).toBe(true)
      expect(ms).toBeLessThan(MOST_MS)
    }
  },
)

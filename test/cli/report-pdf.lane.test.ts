import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PRINTS_HERE, pdfText } from '../report/pdf/chromium.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await openWorkbench()
  await bench.run('sync', 'session-reports')
})
beforeEach(() => bench.configure())
afterAll(() => bench.close())

const withChromium = (path: string) =>
  bench.configure({ top: ['reports:', '  formats: [html, pdf]', `  chromium: ${path}`] })

/** What doctor says about the PDF. */
async function doctor(): Promise<unknown> {
  const { stdout } = await bench.run('doctor', '--json')
  const { findings } = JSON.parse(stdout) as { findings: { check: string }[] }
  return findings.find(({ check }) => check === 'PDF')
}

describe.runIf(PRINTS_HERE)('callsheet report --format pdf', () => {
  it('makes the summary as PDF', async () => {
    const asPdf = ['session-quality', '--format', 'pdf', '--out', 'pdfs']
    const { code, stdout } = await bench.run('report', ...asPdf)
    expect(code).toBe(0)
    const [name = ''] = readdirSync(join(bench.folder, 'pdfs'))
    expect(stdout).toContain(`pdfs/${name}`)
    const text = pdfText(join(bench.folder, 'pdfs', name))
    expect(text).toContain('Session quality')
    expect(text).toContain('Parts of the full report')
  })
})

describe('without a Chromium', () => {
  it('makes the other formats, says what to do, and exits with 1', async () => {
    withChromium('/nowhere/chromium')
    const { code, stderr } = await bench.run('report', 'session-quality')
    expect(stderr).toBe(
      'error: no PDF was made: there is none at /nowhere/chromium, the path in reports.chromium\n' +
        '  what to do: correct reports.chromium, or leave it out to use a Chromium that is on PATH; ' +
        'then create the report again\n',
    )
    expect(code).toBe(1)
    expect(readdirSync(join(bench.folder, 'out'))).toEqual([expect.stringMatching(/\.html$/)])
  })

  it('names the format in the result for scripts, whose data is complete', async () => {
    withChromium('/nowhere/chromium')
    const { stdout } = await bench.run('report', 'session-quality', '--json')
    const { reports } = JSON.parse(stdout) as { reports: object[] }
    expect(reports).toMatchObject([{ covered: true, notMade: [{ format: 'pdf' }] }])
  })

  it('doctor says so if reports have the format pdf, and says nothing otherwise', async () => {
    expect(await doctor()).toBeUndefined()
    withChromium('/nowhere/chromium')
    expect(await doctor()).toMatchObject({
      state: 'failed',
      text: expect.stringContaining('/nowhere/chromium') as string,
      todo: expect.stringContaining('reports.chromium') as string,
    })
  })
})

describe.runIf(PRINTS_HERE)('with a Chromium', () => {
  it('doctor makes a PDF with it', async () => {
    bench.configure({ top: ['reports:', '  formats: [html, pdf]'] })
    expect(await doctor()).toMatchObject({ state: 'ok', text: /^made by \// })
  })
})

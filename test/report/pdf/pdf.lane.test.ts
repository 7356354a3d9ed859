import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { ReportDocument } from '../../../src/core/define/report.ts'
import { renderPdf, writePage } from '../../../src/report/pdf/pdf.ts'
import { PAGE } from '../../../src/report/pdf/printer.ts'
import { exampleDocument, row, table } from '../page/document.ts'
import { PRINTS_HERE, pdfText, printerOf } from './chromium.ts'

const root = mkdtempSync(join(tmpdir(), 'callsheet-pdf-'))
let folder: string
beforeEach(() => {
  // Longer than the path of a socket may be.
  folder = mkdtempSync(join(root, 'f'.repeat(120)))
})
afterAll(() => rmSync(root, { recursive: true }))

const ASOF_MS = Date.parse('2026-11-01T02:30:00Z')

function withList(): ReportDocument {
  const list = { ...table([row('only in the list')]), title: 'Everything' }
  const [summary] = exampleDocument().sections
  const note = { kind: 'note', tone: 'bad', text: 'Ask Ünal & "Co" <now>.', link: 'List' } as const
  return {
    ...exampleDocument(),
    sections: [
      { title: 'Summary', blocks: [note, ...(summary?.blocks ?? [])] },
      { title: 'List', about: 'every single session', blocks: [list] },
    ],
  }
}

async function print(document: ReportDocument, name = 'report'): Promise<string> {
  const path = join(folder, `${name}.pdf`)
  const work = join(folder, `${name}.print`)
  await writePage(document, work)
  await renderPdf({ folder: work, path, asOfMs: ASOF_MS }, printerOf(null))
  return path
}

describe.runIf(PRINTS_HERE)('a PDF', () => {
  it('has the summary and what the parts show, and no row of the lists', async () => {
    const text = pdfText(await print(withList()))
    const { title, subtitle } = exampleDocument()
    for (const part of [title, subtitle, 'Ask Ünal & "Co" <now>.', 'List: every single session'])
      expect(text).toContain(part)
    expect(text).not.toContain('only in the list')
  })

  it('has its summary and the list of parts on one page', async () => {
    const figures = Array.from({ length: 6 }, (_none, at) => {
      return { label: `Figure ${at} of this month`, value: 13_082.3, format: 'decimal' } as const
    })
    const notes = Array.from({ length: 7 }, () => {
      return { kind: 'note', tone: 'bad', text: 'Some words to act on. '.repeat(6) } as const
    })
    const all = exampleDocument().sections.flatMap(({ blocks }) => blocks)
    const chart = all.filter(({ kind }) => kind === 'chart').slice(2, 3)
    const parts = Array.from({ length: 20 }, (_none, at) => {
      return { title: `Part ${at}`, about: 'what it shows in half a sentence or so', blocks: notes }
    })
    const summary = [
      ...notes,
      { kind: 'figures', title: 'Key figures', figures },
      ...chart,
    ] as const
    const sections = [{ title: 'Summary', blocks: summary }, ...parts]
    const pdf = readFileSync(await print({ ...exampleDocument(), sections }), 'latin1')
    expect(chart).toHaveLength(1)
    expect(pdf.match(/\/Type *\/Page\b/g)).toHaveLength(1)
  })

  it('is equal each time, and alone in its folder', async () => {
    const path = await print(withList())
    const first = readFileSync(path, 'latin1')
    expect(readFileSync(await print(withList(), 'again'), 'latin1')).toBe(first)
    expect(first).toContain(`/CreationDate (D:20261101023000+00'00')`)
    expect(readdirSync(folder).toSorted()).toEqual(['again.pdf', 'report.pdf'])
  })

  it('is made without any request, not even to this machine', async () => {
    const heard: string[] = []
    const server = createServer(({ url = '' }, response) => {
      heard.push(url)
      response.end()
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const { port } = server.address() as AddressInfo
    await fetch(`http://127.0.0.1:${port}/control`)
    const urls = ['127.0.0.1', 'localhost'].map((host) => `http://${host}:${port}`)
    // Without the policy that forbids requests in a page of ours.
    const page = urls.map(
      (url) => `<img src="${url}/image"><link rel="stylesheet" href="${url}/style">
        <iframe src="${url}/frame"></iframe><script src="${url}/script"></script>
        <script>fetch('${url}/fetch').catch(() => {})</script>`,
    )
    writeFileSync(join(folder, PAGE), `<!doctype html><p>Here.</p>${page.join('')}`)
    await printerOf(null).print(folder)
    server.close()
    expect(pdfText(join(folder, 'page.pdf'))).toContain('Here.')
    expect(heard).toEqual(['/control'])
  })
})

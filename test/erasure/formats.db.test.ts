import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import readExcelFile from 'read-excel-file/node'
import { expect, it } from 'vitest'
import { REPORT_FORMATS } from '../../src/core/define/report-format.ts'
import { PDF } from '../../src/report/pdf/printer.ts'
import { askDuckDb, quoted } from '../report/duckdb.ts'
import { PRINTS_HERE, pdfText, printerOf } from '../report/pdf/chromium.ts'
import { ANNA, namesOf, naming, pathsOf, useRoster } from './roster.ts'

const stage = useRoster()

/** More people than an HTML report shows without its script. Their IDs sort before Anna's. */
const CROWD = Array.from({ length: 150 }, (_none, at) => ({
  id: `usr-aaaa-${String(at).padStart(4, '0')}`,
  email: `person${at}@example.com`,
  name: `Person ${at}`,
}))

it.each(REPORT_FORMATS.filter((format) => format !== 'pdf'))(
  'a report made only as %s is made again without the person',
  async (format) => {
    const account = `with-${format}`
    await stage.seed(account, [...CROWD, ANNA])
    const { files } = await stage.publish(account, {}, [format])
    const paths = files.map(({ path }) => path)
    expect(await saidIn(paths)).toContain(ANNA.id)
    const erased = await stage.erase(account)
    expect(erased).toMatchObject({ reports: 1, files: files.length, anew: 1, undecided: [] })
    const said = await saidIn(paths)
    expect(said).not.toContain(ANNA.id)
    expect(said).toContain('usr-aaaa-0149')
    expect(await stage.erase(account)).toMatchObject({ reports: 0, files: 0, anew: 0 })
  },
)

it.runIf(PRINTS_HERE)('a report made only as pdf is made again without the person', async () => {
  await stage.seed('with-pdf')
  const [path = ''] = pathsOf(await stage.publish('with-pdf', {}, ['pdf']))
  expect(pdfText(path)).toContain(ANNA.id)
  const erased = await stage.erase('with-pdf')
  expect(erased).toMatchObject({ reports: 1, files: 1, anew: 1, undecided: [] })
  expect(pdfText(path)).not.toContain(ANNA.id)
  expect(pdfText(path)).toContain('usr-bert-0002')
})

it('a PDF that cannot be made again is removed and named, and made when a Chromium is there', async () => {
  const real = stage.printer
  stage.printer = { ...real, print: (folder) => writeFile(join(folder, PDF), '%PDF-1.4\n%%EOF\n') }
  await stage.seed('no-chromium')
  const paths = pathsOf(await stage.publish('no-chromium', {}, ['html', 'pdf']))
  const works = stage.printer
  stage.printer = printerOf('/nowhere/chromium')
  const erased = await stage.erase('no-chromium')
  expect(erased).toMatchObject({
    files: 2,
    anew: 0,
    undecided: [{ file: paths[1], why: expect.stringContaining('/nowhere/chromium') as string }],
  })
  expect(await namesOf(stage, 'no-chromium')).toEqual([basename(paths[0] ?? '')])
  expect(await naming(stage, 'no-chromium')).toEqual([])
  stage.printer = works
  expect(await stage.erase('no-chromium')).toMatchObject({ anew: 1, undecided: [] })
  expect(await namesOf(stage, 'no-chromium')).toHaveLength(2)
  stage.printer = real
})

/** The text of all files, read by third-party readers. */
async function saidIn(paths: readonly string[]): Promise<string> {
  const said: string[] = []
  for (const path of paths) {
    if (path.endsWith('.parquet'))
      said.push(JSON.stringify(await askDuckDb(`select * from ${quoted(path)}`)))
    else if (path.endsWith('.xlsx')) said.push(JSON.stringify(await readExcelFile(path)))
    else said.push(await readFile(path, 'utf8'))
  }
  return said.join('\n')
}

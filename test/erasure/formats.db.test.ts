import { readFile } from 'node:fs/promises'
import readExcelFile from 'read-excel-file/node'
import { expect, it } from 'vitest'
import { REPORT_FORMATS } from '../../src/core/define/report-format.ts'
import { askDuckDb, quoted } from '../report/duckdb.ts'
import { ANNA, useRoster } from './roster.ts'

const stage = useRoster()

/** More people than an HTML report shows without its script. Their IDs sort before Anna's. */
const CROWD = Array.from({ length: 150 }, (_none, at) => ({
  id: `usr-aaaa-${String(at).padStart(4, '0')}`,
  email: `person${at}@example.com`,
  name: `Person ${at}`,
}))

it.each(REPORT_FORMATS)(
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

import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runChild } from './child.ts'
import { mebibytes, seconds } from './figures.ts'
import type { PageOrder, WrittenPage } from './page-write.ts'
import type { Part } from './part.ts'

/** One table is written, of so many rows that memory would show it if more than a row group were held. */
export const parquetPart: Part = {
  about: 'a Parquet file of 1,000,000 rows and 12 columns',
  async measure({ rows = 1_000_000, profileDirectory, nodeFlags }) {
    const directory = await mkdtemp(join(tmpdir(), 'callsheet-bench-parquet-'))
    try {
      const options = { profileDirectory, nodeFlags }
      const write = async (count: number) => {
        const order = { path: join(directory, `${count}.parquet`), rows: count, format: 'parquet' }
        const made = await runChild<PageOrder, WrittenPage>(
          'page-write.ts',
          order as PageOrder,
          options,
        )
        return { ...made, bytes: (await stat(order.path)).size }
      }
      const small = await write(Math.round(rows / 10))
      const large = await write(rows)
      const what = `Parquet of ${rows.toLocaleString('en')} rows`
      const memory = {
        what: `${what}: peak memory`,
        measured: mebibytes(large.peakBytes),
        beside: `${mebibytes(small.peakBytes)} for a tenth of the rows`,
        target: '<= 300 MB',
        met: large.peakBytes <= 300e6,
      }
      const line = [what, mebibytes(large.bytes), seconds(large.wallMs)]
      const lines = [['file', 'size', 'seconds'], line]
      return { figures: [memory], tables: [{ title: 'files, what they took to write', lines }] }
    } finally {
      await rm(directory, { recursive: true })
    }
  },
}

import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Cell, CellFormat, Table } from '../../../src/core/define/report.ts'
import { renderParquet } from '../../../src/report/files/parquet.ts'
import { askDuckDb, metadataIn, quoted, typesIn } from '../duckdb.ts'
import { AWKWARD, streamed } from '../page/document.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-parquet-'))
})
afterAll(() => rm(directory, { recursive: true }))

const tableOf = (formats: Record<string, CellFormat>, rows: Table['rows']): Table => ({
  kind: 'table',
  title: 'List',
  columns: Object.entries(formats).map(([name, format]) => ({ name, title: `T ${name}`, format })),
  rows,
})

async function made(name: string, table: Table): Promise<string> {
  const path = join(directory, `${name}.parquet`)
  await renderParquet(table, path, { 'callsheet.account': 'Zoë & "Co"' })
  return path
}

const rowsIn = (path: string) => askDuckDb(`select * from ${quoted(path)}`)

describe('a table as a Parquet file, read by DuckDB', () => {
  it('has a type for each column format, with values and nulls', async () => {
    const formats = {
      name: 'text',
      count: 'integer',
      mean: 'decimal',
      price: 'money',
      share: 'percent',
      took: 'seconds',
      on: 'boolean',
      day: 'date',
      at: 'instant',
    } as const
    const full = ['x', 3, 1.5, 2.25, 0.125, 61.5, true, '2026-03-29', '2026-10-25T02:30:00']
    const path = await made('types', tableOf(formats, [full, full.map(() => null)]))
    expect(await typesIn(path)).toEqual({
      name: 'VARCHAR',
      count: 'BIGINT',
      mean: 'DOUBLE',
      price: 'DOUBLE',
      share: 'DOUBLE',
      took: 'DOUBLE',
      on: 'BOOLEAN',
      day: 'DATE',
      at: 'TIMESTAMP',
    })
    const [one, none] = await rowsIn(path)
    expect(one).toEqual({
      name: 'x',
      count: '3',
      mean: 1.5,
      price: 2.25,
      share: 0.125,
      took: 61.5,
      on: true,
      day: '2026-03-29',
      at: '2026-10-25 02:30:00',
    })
    expect(Object.values(none ?? {})).toEqual(full.map(() => null))
  })

  it('keeps every unusual text unchanged, except for lone surrogates', async () => {
    const rows = AWKWARD.map((text) => [text])
    const path = await made('texts', tableOf({ text: 'text' }, rows))
    const expected = AWKWARD.map((text) => ({ text: text.toWellFormed() }))
    expect(await rowsIn(path)).toEqual(expected)
  })

  it('moves text out of number columns, and keeps fractions in integer columns', async () => {
    const rows = [
      [0.5, 1, '2026-01-01'],
      ['too few', 2.5, 'soon'],
      [null, 3, null],
    ]
    const path = await made('mixed', tableOf({ share: 'percent', n: 'integer', day: 'date' }, rows))
    expect(await rowsIn(path)).toEqual([
      { share: 0.5, share_text: null, n: 1, day: '2026-01-01' },
      { share: null, share_text: 'too few', n: 2.5, day: 'soon' },
      { share: null, share_text: null, n: 3, day: null },
    ])
  })

  it('gives every column a unique name', async () => {
    const table = tableOf({ a: 'text' }, [['1', '2', 'x', '4']])
    const named = ['a', 'A', 'b', 'b_text'].map(
      (name) => ({ name, title: name, format: 'text' }) as const,
    )
    const path = await made('alike', { ...table, columns: named })
    expect(await rowsIn(path)).toEqual([{ a: '1', A_2: '2', b: 'x', b_text: '4' }])
  })

  it('writes streamed rows in row groups, without losing any', async () => {
    const many = Array.from({ length: 25_001 }, (_none, at): Cell[] => [`row ${at}`, at])
    const path = await made('many', tableOf({ name: 'text', n: 'integer' }, streamed(many)))
    const found = await askDuckDb(
      `select count(*) as n, sum(n) as sum, count(distinct name) as names,
        bool_and(name = 'row ' || n) as fit from ${quoted(path)}`,
    )
    expect(found).toEqual([{ n: '25001', sum: '312512500', names: '25001', fit: true }])
    const groups = await askDuckDb(
      `select distinct row_group_id, row_group_num_rows as n, compression
        from parquet_metadata(${quoted(path)}) order by 1`,
    )
    expect(groups.map(({ n }) => n)).toEqual(['10000', '10000', '5001'])
    expect(groups.every(({ compression }) => compression === 'SNAPPY')).toBe(true)
  })

  it('has types and metadata even without rows', async () => {
    const path = await made('empty', tableOf({ name: 'text', at: 'instant' }, []))
    expect(await rowsIn(path)).toEqual([])
    expect(await typesIn(path)).toEqual({ name: 'VARCHAR', at: 'TIMESTAMP' })
    expect(await metadataIn(path)).toEqual({
      'callsheet.account': 'Zoë & "Co"',
      'callsheet.columns': '{"name":"T name","at":"T at"}',
      'callsheet.formats': '{"name":"text","at":"instant"}',
    })
  })

  it('has the same bytes each time, and is readable only by its owner', async () => {
    const table = tableOf({ name: 'text' }, [['a'], [null]])
    const [one, other] = [await made('one', table), await made('other', table)]
    expect(await readFile(one)).toEqual(await readFile(other))
    expect((await stat(one)).mode & 0o777).toBe(0o600)
  })
})

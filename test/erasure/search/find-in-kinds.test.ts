import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fileNames } from '../../../src/erasure/search/find-in-file.ts'
import { renderParquet } from '../../../src/report/files/parquet.ts'
import { renderHtml } from '../../../src/report/page/html.ts'
import { writeMembers } from '../../helpers/rewrite-zip.ts'
import { askDuckDb, quoted } from '../../report/duckdb.ts'
import { exampleDocument, streamed } from '../../report/page/document.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-kinds-'))
})
afterAll(() => rm(directory, { recursive: true }))

const file = (name: string): string => join(directory, name)
const NOBODY = ['nobody at all']

async function put(name: string, content: Buffer | string): Promise<string> {
  await writeFile(file(name), content)
  return file(name)
}

describe('a file that is no text counts as holding whoever is looked for:', () => {
  const text = Buffer.from('of Anna Schmidt and others\n'.repeat(20))
  const xz = Buffer.from('fd377a585a000004e6d6b446', 'hex')
  it.each([
    ['gzip', gzipSync(text)],
    ['zstd', zstdCompressSync(text)],
    ['brotli', brotliCompressSync(text)],
    ['bare deflate', deflateRawSync(text)],
    ['bzip2', Buffer.from('BZh91AY&SYabc')],
    ['xz', xz],
    ['7z', Buffer.from('377abcaf271c0004', 'hex')],
    ['PDF', Buffer.from('%PDF-1.7\n(A) Tj')],
    ['RTF', Buffer.from("{\\rtf1 M\\'fcller}")],
    ['UTF-16 that does not say so', Buffer.from('Anna Schmidt', 'utf16le')],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
  ])('%s, whatever its name', async (_kind, content) => {
    for (const name of ['notes', 'notes.foo', 'notes.csv', 'notes.html', 'notes.csv.gz'])
      expect([name, await fileNames(await put(name, content), NOBODY)]).toEqual([name, true])
  })

  it('a tar and a database of SQLite, too', async () => {
    await put('a.txt', 'nothing')
    execFileSync('tar', ['-cf', file('a.tar'), '-C', directory, 'a.txt'])
    expect(await fileNames(file('a.tar'), NOBODY)).toBe(true)
    expect(await fileNames(await put('a.db', 'SQLite format 3\0'), NOBODY)).toBe(true)
  })

  it.each([
    ['plain', Buffer.from('tabs\tand\r\nends\fof pages, äöü 漢字')],
    ['with a control character of the service', Buffer.from('a\u0001b, ü')],
    ['of an old program', Buffer.from('M\u00fcller, \u20ac', 'latin1')],
    ['UTF-16', Buffer.from('\ufeffwide', 'utf16le')],
    ['long, with a character that lies across two pieces', Buffer.from(`a${'ü'.repeat(70_000)}`)],
  ])('but not text: %s', async (_kind, content) => {
    expect(await fileNames(await put('notes.csv', content), NOBODY)).toBe(false)
  })

  it('what is packed in a zip as well, but no picture', async () => {
    const path = file('bundle.zip')
    await writeMembers(path, [['files/0a', gzipSync(text)]])
    expect(await fileNames(path, NOBODY)).toBe(true)
    await writeMembers(path, [['files/0a', Buffer.from('89504e470d0a1a0a0000', 'hex')]])
    expect(await fileNames(path, NOBODY)).toBe(false)
    await writeMembers(path, [['xl/printerSettings1.bin', Buffer.from('\0\0Anna', 'utf16le')]])
    expect(await fileNames(path, ['Anna'])).toBe(true)
  })
})

describe('a Parquet file', () => {
  const columns = [
    { name: 'name', title: 'Name', format: 'text' },
    { name: 'n', title: 'N', format: 'integer' },
  ] as const
  const filler = Array.from({ length: 12_000 }, (_none, at) => [`other ${at % 50}`, at])

  async function made(names: readonly (string | null)[], metadata: Record<string, string> = {}) {
    const rows = [...filler, ...names.map((name) => [name, null])]
    const table = { kind: 'table', title: 'People', columns, rows: streamed(rows) } as const
    await renderParquet(table, file('people.parquet'), metadata)
    return file('people.parquet')
  }

  it('names who stands in one of its cells, in the last row group too, and nobody else', async () => {
    const path = await made([`Zoë O'Neil & "Co"`, null, '{"name":"\\u0041nna \\"Co\\" Schmidt"}'])
    for (const name of [`ZOE\u0308 o'neil & "co"`, 'other 49', 'anna "co" schmidt', '11999'])
      expect([name, await fileNames(path, [name])]).toEqual([name, true])
    for (const name of ['Zoë O Neil', 'other 50', '12000'])
      expect([name, await fileNames(path, [name])]).toEqual([name, false])
  })

  it('names who stands in its metadata alone', async () => {
    const path = await made([], { 'callsheet.params': '{"user":"anna@example.com"}' })
    expect(await fileNames(path, ['Anna@example.com'])).toBe(true)
    expect(await fileNames(path, ['bert@example.com'])).toBe(false)
  })

  it('hides nobody in its bytes, which are packed', async () => {
    const long = `Anna Schmidt ${'abcdefgh '.repeat(200)}`
    const path = await made(Array.from({ length: 3 }, (_none, at) => `${long}${at}`))
    expect(await fileNames(path, ['schmidt abcdefgh abcdefgh abcdefgh abcdefgh'])).toBe(true)
  })

  it('counts as holding what is asked for once it is broken or cut', async () => {
    const whole = await readFile(await made(['Anna']))
    expect(await fileNames(file('people.parquet'), NOBODY)).toBe(false)
    const broken = Buffer.from(whole)
    broken.fill(0xff, 20, 400)
    for (const content of [whole.subarray(0, -20), whole.subarray(0, 5_000), broken])
      expect(await fileNames(await put('cut.parquet', content), NOBODY)).toBe(true)
    expect(await fileNames(await put('x.parquet', 'text'), NOBODY)).toBe(true)
  })

  it('of another program is searched, or counts as holding where it is packed otherwise', async () => {
    const people = `select 'Anna ' || upper('schmidt') as who,
      {'city': 'Köln', 'tags': ['a', 'Bert']} as more,
      1.5::decimal(9,2) as d, uuid() as id, now() as at`
    const write = async (codec: string) => {
      const path = file(`duck-${codec}.parquet`)
      await askDuckDb(`copy (${people}) to ${quoted(path)} (format parquet, compression ${codec})`)
      return path
    }
    const snappy = await write('snappy')
    for (const name of ['anna schmidt', 'köln', 'bert'])
      expect(await fileNames(snappy, [name])).toBe(true)
    expect(await fileNames(snappy, NOBODY)).toBe(false)
    expect(await fileNames(await write('zstd'), NOBODY)).toBe(true)
  })

  it('in a bundle counts as well', async () => {
    const inner = await readFile(await made(['Anna Schmidt']))
    await writeMembers(file('with.zip'), [['table.parquet', inner]])
    expect(await fileNames(file('with.zip'), ['anna schmidt'])).toBe(true)
    expect(await fileNames(file('with.zip'), ['anna schulze'])).toBe(false)
  })
})

describe('a page', () => {
  beforeAll(() => renderHtml(exampleDocument(), file('page.html')))

  it('names nobody by the words of its own script and style', async () => {
    const page = await readFile(file('page.html'), 'utf8')
    for (const word of ['Math', 'querySelector', 'addEventListener', 'Roboto', 'grid']) {
      expect([word, page.includes(word)]).toEqual([word, true])
      expect([word, await fileNames(file('page.html'), [word])]).toEqual([word, false])
    }
  })

  it('counts with any other script, and with all that stands around its own', async () => {
    const page = await readFile(file('page.html'), 'utf8')
    const other = page.replace("'use strict'", "'use strict' // Roboto, Math\n")
    expect(other).not.toBe(page)
    expect(await fileNames(await put('other.html', other), ['math'])).toBe(true)
    const around = page.replace('</script>\n</body>', '</script>\n<!-- Anna -->\n</body>')
    expect(await fileNames(await put('around.html', around), ['Anna'])).toBe(true)
    const before = page.replace('<style>', '<style>/* Anna */</style><style>')
    expect(await fileNames(await put('before.html', before), ['Anna'])).toBe(true)
  })
})

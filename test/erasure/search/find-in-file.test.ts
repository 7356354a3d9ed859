import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ReportDocument } from '../../../src/core/define/report.ts'
import { fileNames } from '../../../src/erasure/search/find-in-file.ts'
import { renderFormats } from '../../../src/report/render-formats.ts'
import { readMembers, writeMembers } from '../../helpers/rewrite-zip.ts'

const NAME = `Zoë O'Neil & "Co" <x>`
let directory: string

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-find-'))
})
afterAll(() => rm(directory, { recursive: true }))

const file = (name: string): string => join(directory, name)

describe('a rendered report', () => {
  let paths: string[]
  beforeAll(async () => {
    const target = {
      directory,
      name: 'people',
      formats: ['xlsx', 'html', 'csv'] as const,
      metadata: {},
    }
    const made = await renderFormats(
      page([NAME, 'a\u0001bcd', '_x0041_nna', '+14155550100']),
      target,
    )
    // Notes and figures, of which there are none, have files of their own.
    paths = made.filter((name) => !name.includes('.00-')).map(file)
  })

  it.each([
    NAME,
    NAME.toUpperCase(),
    NAME.toLowerCase(),
    NAME.normalize('NFD'),
    `O'Neil & "C`,
    'a\u0001bcd',
    '_x0041_nna',
    '+14155550100',
  ])('names %j in each format', async (needle) => {
    expect(paths).toHaveLength(3)
    for (const path of paths)
      expect([path, await fileNames(path, ['nobody at all', needle])]).toEqual([path, true])
  })

  it.each([
    ['anna@bücher.example', 'anna@xn--bcher-kva.example'],
    ['annie@firm.example', 'ANNİE@FİRM.EXAMPLE'],
    ['anna@firm.example', 'anna [at] firm (dot) example'],
    ['anna@firm.example', 'anna+news@firm.example'],
  ])('names %s where %s stands in each format', async (needle, text) => {
    const formats = ['xlsx', 'html', 'csv'] as const
    const target = { directory, name: 'spelled', formats, metadata: {} }
    const made = await renderFormats(page([`see ${text}`]), target)
    for (const path of made.filter((name) => !name.includes('.00-')).map(file)) {
      expect([path, await fileNames(path, [needle])]).toEqual([path, true])
      expect([path, await fileNames(path, [`j${needle}`])]).toEqual([path, false])
    }
  })

  it.each(['Zoe O', 'Zoë O Neil', 'Anna', '&amp;', 'worksheet1'])(
    'does not name %j',
    async (needle) => {
      for (const path of paths)
        expect([path, await fileNames(path, [needle])]).toEqual([path, false])
    },
  )

  it('names whoever stands in the rows of a page alone, which are its data', async () => {
    const names = [
      'C:\\new "x"',
      'two\nlines',
      'a&amp;b',
      'x\u2028y',
      'lone \ud800',
      '</script>',
      '漢字',
    ]
    const others = Array.from({ length: 5_000 }, (_none, at) => `other ${at}`)
    const target = { directory, name: 'many', formats: ['html'] as const, metadata: {} }
    const made = await renderFormats(page([...others, ...names]), target)
    expect(made).toEqual(['many.html'])
    const plain = (await readFile(file('many.html'), 'utf8')).replace(/<script type[^<]*/g, '')
    for (const name of [...names.slice(0, 3), '漢字', 'other 4999'])
      expect(plain).not.toContain(name)
    for (const name of [...names, 'other 4999'])
      expect([name, await fileNames(file('many.html'), [name])]).toEqual([name, true])
    for (const name of ['C:\\old', 'two lines', 'a&amp;amp;b', 'a&b', 'other 5000'])
      expect([name, await fileNames(file('many.html'), [name])]).toEqual([name, false])
  })

  it('names nobody where nobody is looked for', async () => {
    for (const path of paths) expect(await fileNames(path, [])).toBe(false)
  })

  it('counts as holding what it is asked for once its end is missing', async () => {
    const path = file('cut.xlsx')
    const whole = await readFile(file('people.xlsx'))
    await writeFile(path, whole)
    expect(await fileNames(path, ['nobody at all'])).toBe(false)
    await truncate(path, whole.length - 30)
    expect(await fileNames(path, ['nobody at all'])).toBe(true)
  })

  it('counts as holding it where one of its parts is damaged', async () => {
    const path = file('damaged.xlsx')
    const bytes = await readFile(file('people.xlsx'))
    // Into the middle of what is packed first.
    bytes.fill(0xff, 120, 160)
    await writeFile(path, bytes)
    expect(await fileNames(path, ['nobody at all'])).toBe(true)
  })
})

describe('each part of a workbook counts:', () => {
  it.each([
    ['docProps/core.xml', '<dc:creator>Anna Schmidt</dc:creator>'],
    ['docProps/custom.xml', '<vt:lpwstr>anna schmidt</vt:lpwstr>'],
    ['xl/workbook.xml', '<sheet name="Anna Schmidt" sheetId="1"/>'],
    [
      'xl/sharedStrings.xml',
      '<si><r><rPr><b/><sz val="11"/></rPr><t>Anna</t></r><r><t xml:space="preserve"> Schmidt</t></r></si>',
    ],
    ['xl/sharedStrings.xml', '<si><t>Anna_x0020_Schmidt</t></si>'],
    ['xl/worksheets/sheet1.xml', '<c t="inlineStr"><is><t>&#65;nna&#x20;Schmidt</t></is></c>'],
    ['xl/drawings/drawing1.xml', '<xdr:cNvPr id="2" name="Chart of Anna Schmidt"/>'],
    [
      'xl/drawings/drawing1.xml',
      '<a:p><a:r><a:rPr lang="en"/><a:t>Anna Sch</a:t></a:r><a:r><a:t>midt</a:t></a:r></a:p>',
    ],
    ['xl/charts/chart1.xml', '<c:pt idx="0"><c:v>Anna Schmidt</c:v></c:pt>'],
    ['xl/comments1.xml', '<comment><text><t>by ANNA SCHMIDT</t></text></comment>'],
    [
      'xl/worksheets/_rels/sheet1.xml.rels',
      '<Relationship Target="mailto:x?subject=Anna Schmidt"/>',
    ],
    ['xl/media/image1.bin', '\u0000\u0001Anna Schmidt\u0000'],
    ['customXml/Anna Schmidt.xml', '<x/>'],
    ['records/users.ndjson', '{"name":"\\u0041nna Schmidt"}'],
  ])('%s: %s', async (part, content) => {
    const path = file('parts.xlsx')
    await writeMembers(path, [
      ['[Content_Types].xml', Buffer.from('<Types/>')],
      [part, Buffer.from(content)],
    ])
    expect(await fileNames(path, ['Anna Schmidt'])).toBe(true)
    expect(await fileNames(path, ['Anna Schulze'])).toBe(false)
  })

  it('two cells are not one text', async () => {
    const path = file('cells.xlsx')
    const texts = '<sst><si><t>Anna</t></si><si><t> Schmidt</t></si></sst>'
    await writeMembers(path, [['xl/sharedStrings.xml', Buffer.from(texts)]])
    expect(await fileNames(path, ['Anna Schmidt'])).toBe(false)
  })

  it('a workbook in a bundle counts with all of its parts', async () => {
    const inner = file('inner.xlsx')
    const members = [['xl/sharedStrings.xml', Buffer.from('<si><t>Anna Schmidt</t></si>')]] as const
    await writeMembers(inner, members)
    const path = file('bundle.zip')
    await writeMembers(path, [['whiteboard-audit.xlsx', await readFile(inner)]])
    expect((await readMembers(path)).size).toBe(1)
    expect(await fileNames(path, ['anna schmidt'])).toBe(true)
    expect(await fileNames(path, ['Anna Schulze'])).toBe(false)
  })
})

describe('a text that lies across two pieces', () => {
  const written = [
    ['csv', `Ann "Nan" O'Neil & Co`, `"Ann ""Nan"" O'Neil & Co"`],
    ['html', `O'Neil & "Co"`, 'O&#39;Neil &amp; &quot;Co&quot;'],
    ['html', `O'Neil & "Co" <x>`, `["O'Neil \\u0026 \\"Co\\" \\u003cx>",1]`],
    ['xlsx', `O'Neil & Straße`, '<t>O&apos;Neil &amp; </t></r><r><t>STRASSE</t>'],
    ['txt', 'Zoë Ångström 漢字', 'Zoe\u0308 A\u030angström 漢字'],
  ] as const

  it.each(written)('is found in %s wherever it lies', async (format, needle, text) => {
    const path = file(`across.${format}`)
    let looked = 0
    // The pieces are of 64 KB, and what is searched at once is 128 K characters.
    for (const border of [65_536, 131_072])
      for (let at = border - text.length - 8; at <= border + 4; at += 3) {
        const content = `${'abcdefg '.repeat(40_000).slice(0, at)}${text}${' hijklm'.repeat(20_000)}`
        if (format === 'xlsx') await writeMembers(path, [['xl/a.xml', Buffer.from(content)]])
        else await writeFile(path, content)
        expect([at, await fileNames(path, [needle])]).toEqual([at, true])
        looked++
      }
    expect(looked).toBeGreaterThan(15)
    expect(await fileNames(path, [`${needle}!`])).toBe(false)
  })
})

describe('a file of another kind', () => {
  it.each([
    ['notes.txt', Buffer.from('of ANNA SCHMIDT')],
    ['old.csv', Buffer.from('M\u00fcller,Anna Schmidt', 'latin1')],
    ['wide.csv', Buffer.from('\ufeffname\tAnna Schmidt', 'utf16le')],
    ['zip-named.csv', Buffer.from('PK, anna schmidt')],
  ])('%s is searched as it is', async (name, content) => {
    await writeFile(file(name), content)
    expect(await fileNames(file(name), ['Anna Schmidt'])).toBe(true)
    expect(await fileNames(file(name), ['Anna Schulze'])).toBe(false)
  })

  it('finds an accent that a program of old wrote', async () => {
    await writeFile(file('accent.csv'), Buffer.from('M\u00fcller', 'latin1'))
    expect(await fileNames(file('accent.csv'), ['MÜLLER'])).toBe(true)
  })

  it.each([
    ['text.xlsx', Buffer.from('nothing')],
    ['locked.xlsx', Buffer.from('d0cf11e0a1b11ae1aaaa', 'hex')],
    ['bundle.zip.part', Buffer.from('x')],
  ])('%s cannot be searched, and counts as holding what is looked for', async (name, content) => {
    await writeFile(file(name), content)
    expect(await fileNames(file(name), ['nobody at all'])).toBe(true)
  })

  it('holds nothing where it is empty, and is an error where it is not there', async () => {
    await writeFile(file('empty.xlsx'), '')
    expect(await fileNames(file('empty.xlsx'), ['nobody at all'])).toBe(false)
    await expect(fileNames(file('none.csv'), ['nobody'])).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(fileNames(directory, ['nobody'])).rejects.toMatchObject({ code: 'EISDIR' })
  })
})

function page(names: readonly string[]): ReportDocument {
  const columns = [{ name: 'name', title: 'Name', format: 'text' as const }]
  const rows = names.map((name) => [name])
  return {
    title: 'People',
    report: 'people',
    account: 'acme',
    subtitle: 'Account acme',
    asOfMs: Date.UTC(2026, 10, 20),
    sections: [
      { title: 'Cover', blocks: [] },
      { title: 'All', blocks: [{ kind: 'table', title: 'All', columns, rows }] },
    ],
  }
}

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../../src/core/errors.ts'
import { writeMembers } from '../../helpers/rewrite-zip.ts'
import { linesOf, rewritten, wanted, written } from './books.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'callsheet-refuse-xlsx-'))
})
afterAll(() => rm(directory, { recursive: true }))

describe('reading a workbook', () => {
  const refusal = async (path: string, ...columns: string[]): Promise<string> => {
    const error = await linesOf(path, wanted('Table', ...columns)).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(ConfigurationError)
    return (error as Error).message
  }

  it('refuses a sheet without the header, and names the missing title', async () => {
    const path = await written(directory, 'header', (sheet) =>
      sheet.addRow(['Number', 'Stie', 'ID']),
    )
    const said = await refusal(path, 'Number', 'Site', 'ID')
    expect(said).toContain('the sheet "Table"')
    expect(said).toContain('the titles Number, Site, ID in one of the first 50 rows.')
    expect(said).toContain('the columns Site are missing')
  })

  it('refuses a header that comes too late or repeats a title', async () => {
    const late = await written(directory, 'late', (sheet) => {
      sheet.getCell('A51').value = 'Number'
    })
    expect(await refusal(late, 'Number')).toContain('the columns Number are missing')
    const twice = await written(directory, 'twice', (sheet) => sheet.addRow(['Number', 'Number']))
    expect(await refusal(twice, 'Number')).toContain(
      'row 1 has more than one column with the title Number',
    )
  })

  it('refuses a formula whose result was not saved', async () => {
    const path = await written(directory, 'formula', (sheet) => {
      sheet.addRow(['Number'])
      sheet.addRow([{ formula: 'A1' }])
    })
    expect(await refusal(path, 'Number')).toContain('a formula without a saved result')
  })

  it.each([
    ['an empty file', Buffer.alloc(0), 'another format'],
    ['text', Buffer.from('Number;Site\n1;2\n'), 'another format'],
    ['a locked file', Buffer.from('d0cf11e0a1b11ae1000000', 'hex'), 'protected by a password'],
    ['a broken zip', Buffer.from('PK\u0003\u0004 and no more of it'), 'end of central directory'],
  ])('refuses %s', async (name, content, said) => {
    const path = join(directory, `${name}.xlsx`)
    if (content !== undefined) await writeFile(path, content)
    expect((await refusal(path, 'Number')).toLowerCase()).toContain(said.toLowerCase())
  })

  it.each([
    ['does not exist', 'none.xlsx', 'there is no such file'],
    ['is a folder', '.', 'the file is a folder, not a regular file'],
  ])('says to check the path if the file %s', async (_what, name, said) => {
    const message = await refusal(join(directory, name), 'Number')
    expect(message).toContain(`: ${said}.`)
    expect(message).toContain('What to do: check the path')
  })

  it('refuses a zip file that is not a workbook', async () => {
    const path = join(directory, 'other.xlsx')
    await writeMembers(path, [['content.xml', Buffer.from('<a/>')]])
    expect(await refusal(path, 'Number')).toContain('contains no workbook')
  })

  it.each([
    ['broken XML', '<worksheet><sheetData></worksheet>', 'unexpected close tag'],
    ['entities', '<!DOCTYPE a [<!ENTITY b "c">]><worksheet/>', 'a document type'],
    ['text without end', `<worksheet>${'x'.repeat(2 ** 21)}</worksheet>`, 'text without end'],
    [
      'a row beyond the limit',
      '<a><row r="1048577"><c><v>1</v></c></row></a>',
      'a row in no place',
    ],
    ['a column beyond the limit', '<a><row><c r="XFE1"><v>1</v></c></row></a>', 'in no column'],
    [
      'a reference to a missing text',
      '<a><row><c t="s"><v>99</v></c></row></a>',
      'not in the table of texts',
    ],
  ])('refuses a sheet with %s', async (name, xml, said) => {
    const path = await rewritten(directory, name, { 'xl/worksheets/sheet1.xml': xml })
    expect(await refusal(path, 'Number')).toContain(said)
  })

  const PARTS = [
    'xl/worksheets/sheet1.xml',
    'xl/workbook.xml',
    'xl/_rels/workbook.xml.rels',
    '_rels/.rels',
    'xl/sharedStrings.xml',
  ]
  const { a, z } = { a: '<worksheet><sheetData>', z: '</sheetData></worksheet>' }
  const HOSTILE: readonly (readonly [string, string, string])[] = [
    ['elements that nest', '<a>'.repeat(100_000), 'nested deeper than 256'],
    ['the same, all closed', '<a>'.repeat(50_000) + '</a>'.repeat(50_000), 'nested deeper'],
    [
      'attributes without end',
      `${a}<row ${Array.from({ length: 50_000 }, (_, at) => `b${at}="1"`).join(' ')}/>${z}`,
      'more than 1024 attributes',
    ],
    ['a comment without end', `<a><!--${'x'.repeat(2 ** 21)}--></a>`, 'text without end'],
    ['an attribute without end', `<a b="${'x'.repeat(2 ** 21)}"/>`, 'text without end'],
  ]

  it.each(PARTS)('refuses %s with endless nesting, attributes or text', async (part) => {
    for (const [name, xml, said] of HOSTILE) {
      const path = await rewritten(directory, name, { [part]: xml })
      expect([name, await refusal(path, 'Number')]).toEqual([name, expect.stringContaining(said)])
    }
  })

  it('refuses elements nested 20 million deep within a second of processor time', async () => {
    const deep = Buffer.alloc(60_000_000, '<a>').toString('latin1')
    const paths = await Promise.all([
      rewritten(directory, 'deep', { 'xl/worksheets/sheet1.xml': deep }),
      rewritten(directory, 'deep-texts', { 'xl/sharedStrings.xml': deep }),
    ])
    const before = process.cpuUsage().user
    for (const path of paths) expect(await refusal(path, 'Number')).toMatch(/nested|unpacks? to/)
    expect(process.cpuUsage().user - before).toBeLessThan(1_000_000)
  })

  it('refuses a row with too much text, inline or shared', async () => {
    const full = 'x'.repeat(32_767)
    const spelled = `<c t="inlineStr"><is>${`<t>${full}</t>`.repeat(100)}</is></c>`
    const named = '<c t="s"><v>0</v></c>'.repeat(100)
    for (const cells of [spelled, named]) {
      const path = await rewritten(directory, 'row', {
        'xl/worksheets/sheet1.xml': `${a}<row>${cells}</row>${z}`,
        'xl/sharedStrings.xml': `<sst><si><t>${full}</t></si></sst>`,
      })
      expect(await refusal(path, 'Number')).toContain('a row of more than 2097152 characters')
    }
  })

  it('refuses many small parts that together unpack to a thousand times their size', async () => {
    const rows = Buffer.from(`${a}${'<row/>'.repeat(600_000)}${z}`)
    const path = join(directory, 'spread.xlsx')
    const parts = Array.from({ length: 20 }, (_none, at) => [`xl/${at}.xml`, rows] as const)
    await writeMembers(path, parts)
    expect(await refusal(path, 'Number')).toContain('parts that unpack to more than')
  })

  it('refuses a part that unpacks to too many bytes', async () => {
    const styles = `<styleSheet>${'<a/>'.repeat(2 ** 23)}<a/></styleSheet>`
    const path = await rewritten(directory, 'bomb', { 'xl/styles.xml': styles })
    expect(await refusal(path, 'Number')).toMatch(
      /(?:xl\/styles.xml that unpacks|parts that unpack) to/,
    )
  })
})

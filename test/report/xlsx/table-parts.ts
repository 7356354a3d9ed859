import { dirname, posix } from 'node:path'

export interface TablePart {
  id: string
  name: string
  ref: string
  filter: string
  titles: string[]
  /** The name in the zip of the sheet that the table is on. */
  sheet: string
}

/** The tables of a workbook, found by the relationships of its sheets. */
export function tablesOf(parts: ReadonlyMap<string, string>): TablePart[] {
  const tables: TablePart[] = []
  for (const [rels, xml] of parts) {
    const [, name] = /^xl\/worksheets\/_rels\/(.*)\.rels$/.exec(rels) ?? []
    if (name === undefined) continue
    for (const [, target = ''] of xml.matchAll(/Target="(\.\.\/tables\/[^"]*)"/g)) {
      const part = parts.get(posix.normalize(posix.join(dirname(dirname(rels)), target))) ?? ''
      const head = /<table [^>]*>/.exec(part)?.[0] ?? ''
      tables.push({
        id: attribute(head, 'id'),
        name: attribute(head, 'displayName'),
        ref: attribute(head, 'ref'),
        filter: attribute(/<autoFilter [^>]*>/.exec(part)?.[0] ?? '', 'ref'),
        titles: [...part.matchAll(/<tableColumn [^>]*name="([^"]*)"/g)].map(
          ([, title = '']) => title,
        ),
        sheet: `xl/worksheets/${name}`,
      })
    }
  }
  return tables
}

/** What Excel would repair or refuse in the tables of a workbook; empty if it opens without repair. */
export function tableFaults(parts: ReadonlyMap<string, string>): string[] {
  const tables = tablesOf(parts)
  const faults: string[] = []
  const texts = sharedTexts(parts)
  const names = new Set<string>()
  const ids = new Set<string>()
  for (const { id, name, ref, filter, titles, sheet } of tables) {
    const fault = (what: string): void => void faults.push(`${name}: ${what}`)
    const [, left = '', top = '0', right = '', bottom = '0'] =
      /^([A-Z]+)(\d+):([A-Z]+)(\d+)$/.exec(ref) ?? []
    const xml = parts.get(sheet) ?? ''
    if (ids.has(id) || !/^[1-9]\d*$/.test(id)) fault(`the id ${id}`)
    if (names.has(name.toLowerCase())) fault('a name twice')
    if (!/^[A-Za-z_][\w.]{0,254}$/.test(name)) fault('no name')
    if (/^([a-z]{1,3}\d+|r\d*(c\d*)?|c\d*)$/i.test(name)) fault('a name like a cell')
    ids.add(id)
    names.add(name.toLowerCase())
    if (Number(bottom) <= Number(top)) fault(`no row below its header: ${ref}`)
    if (filter !== ref) fault(`a filter on ${filter}`)
    if (numberOf(right) - numberOf(left) + 1 !== titles.length) fault('more or fewer columns')
    if (new Set(titles.map((title) => title.toLowerCase())).size !== titles.length)
      fault('a title twice')
    const row = new RegExp(`<row r="${top}"[^>]*>(.*?)</row>`).exec(xml)?.[1] ?? ''
    const cells = [...row.matchAll(/<c [^>]*t="s"[^>]*><v>(\d+)<\/v>/g)].map(
      ([, at]) => texts[Number(at)],
    )
    if (JSON.stringify(cells) !== JSON.stringify(titles)) fault(`another header: ${cells.join()}`)
    for (const [, first, last] of xml.matchAll(/<mergeCell ref="[A-Z]+(\d+):[A-Z]+(\d+)"/g))
      if (Number(first) <= Number(bottom) && Number(last) >= Number(top)) fault('merged cells')
    const same = tables.filter((other) => other.sheet === sheet && other.ref === ref)
    if (same.length > 1) fault('another table in its place')
    if (xml.includes('<autoFilter')) fault('a filter of the sheet too')
    if (!xml.includes('<tableParts')) fault('a sheet that does not name it')
  }
  return faults
}

/** The shared texts still escaped, as the titles in the XML of a table are, too. */
function sharedTexts(parts: ReadonlyMap<string, string>): string[] {
  const xml = parts.get('xl/sharedStrings.xml') ?? ''
  return [...xml.matchAll(/<si><t[^>]*>([^<]*)<\/t><\/si>/g)].map(([, text = '']) => text)
}

function attribute(tag: string, name: string): string {
  return new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? ''
}

function numberOf(letters: string): number {
  return Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0)
}

import type { XlsxParts } from './xlsx-parts.ts'

/** The meaning of a number in a cell, by its style. */
export type NumberKind = 'number' | 'date' | 'duration'

/** Returns the kinds by style index; a missing style means a plain number. */
export async function readNumberKinds(
  parts: XlsxParts,
  name: string | undefined,
): Promise<readonly NumberKind[]> {
  const custom = new Map<number, string>()
  const kinds: NumberKind[] = []
  if (name === undefined) return kinds
  let inCellStyles = false
  const handler = {
    open(element: string, attributes: Readonly<Record<string, string>>) {
      const { numFmtId = '0', formatCode = '' } = attributes
      if (element === 'cellXfs') inCellStyles = true
      else if (element === 'numFmt') custom.set(Number(numFmtId), formatCode)
      else if (element === 'xf' && inCellStyles) {
        const code = custom.get(Number(numFmtId))
        kinds.push(code === undefined ? builtIn(Number(numFmtId)) : kindOf(code))
      }
    },
    close(element: string) {
      if (element === 'cellXfs') inCellStyles = false
    },
  }
  await parts.read(name, handler)
  return kinds
}

/** Returns the kind of a built-in format. Some formats from 27 on are dates in East Asian versions. */
function builtIn(id: number): NumberKind {
  if (id >= 45 && id <= 47) return 'duration'
  const date = (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58)
  return date ? 'date' : 'number'
}

/** Ignores quoted, escaped and bracketed text in a format; `[h]` means a duration. */
function kindOf(code: string): NumberKind {
  const bare = code.replace(/"[^"]*"|\\.|_.|\*./g, '')
  if (/\[[hms]+\]/i.test(bare)) return 'duration'
  const letters = bare.replace(/\[[^\]]*\]/g, '').replace(/general/gi, '')
  return /[ymdhs]/i.test(letters) ? 'date' : 'number'
}

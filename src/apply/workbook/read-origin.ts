import { ConfigurationError } from '../../core/errors.ts'
import { ORIGIN_NAMES, type Origin, PROVENANCE } from '../../report/xlsx/xlsx-origin.ts'
import { readText } from '../../report/xlsx/xlsx-text.ts'
import { readBookParts } from './xlsx-book-parts.ts'
import { readNumberKinds } from './xlsx-number-kinds.ts'
import { openParts, type XlsxParts } from './xlsx-parts.ts'
import { readSharedTexts } from './xlsx-shared-texts.ts'
import { readSheetRows } from './xlsx-sheet-rows.ts'

/** The values of an origin by name, as the workbook has them. */
type OriginTexts = ReadonlyMap<string, string>

/**
 * Returns the workbook's origin: from its properties, or if a program dropped those, from the sheet
 * Provenance. Undefined if neither is complete. Throws if they disagree: the sheets may be of two workbooks.
 */
export async function readOrigin(path: string): Promise<Origin | undefined> {
  const parts = await openParts(path)
  try {
    const onSheet = await sheetTexts(parts)
    const inProperties = await propertyTexts(parts)
    const whole = [inProperties, onSheet].filter((texts) => originOf(texts) !== undefined)
    const differing = differences(inProperties, onSheet, whole.length === 2)
    if (whole[0] !== undefined && differing.length > 0) throw disagreement(path, differing)
    return whole[0] === undefined ? undefined : originOf(whole[0])
  } finally {
    parts.close()
  }
}

/** Reads the properties; empty if there are none. */
async function propertyTexts(parts: XlsxParts): Promise<OriginTexts> {
  const properties = new Map<string, string>()
  const related = await parts.related('')
  const part = related.find(({ kind }) => kind === 'custom-properties')?.target
  if (part === undefined || !parts.has(part)) return properties
  let name = ''
  await parts.read(part, {
    open(element, attributes) {
      if (element === 'property') name = attributes.name ?? ''
    },
    text(text) {
      properties.set(name, (properties.get(name) ?? '') + text)
    },
    close(element) {
      if (element === 'property') name = ''
    },
  })
  return new Map([...properties].map(([key, text]) => [key, readText(text)]))
}

/** Reads the lines of the sheet that begin with the name of a property; empty if there is none. */
async function sheetTexts(parts: XlsxParts): Promise<OriginTexts> {
  const found = new Map<string, string>()
  const { sheets, sharedTexts, styles, date1904 } = await readBookParts(parts)
  const part = sheets.find(({ name }) => name === PROVENANCE)?.part
  if (part === undefined) return found
  const kinds = await readNumberKinds(parts, styles)
  const facts = { texts: await readSharedTexts(parts, sharedTexts), kinds, date1904 }
  for await (const { cells } of readSheetRows(parts, part, facts)) {
    const [name, text] = [cells.get(0) ?? '', cells.get(1)]
    if (NAMES.has(name) && text !== undefined) found.set(name, (found.get(name) ?? '') + text)
  }
  return found
}

/** Returns the names whose values differ; if both places are complete, also those that one of them lacks. */
function differences(one: OriginTexts, other: OriginTexts, complete: boolean): string[] {
  return ORIGIN_NAMES.filter((name) => {
    const [first, second] = [one.get(name), other.get(name)]
    const lacking = first === undefined || second === undefined
    return first !== second && (complete || !lacking)
  })
}

/** Returns the origin; undefined if a required value is missing or unreadable. */
function originOf(texts: OriginTexts): Origin | undefined {
  const [report, account, asOf, timeZone, since, settings, owner] = ORIGIN_NAMES.map((name) =>
    texts.get(name),
  )
  const asOfMs = Date.parse(asOf ?? '')
  if (report === undefined || account === undefined || Number.isNaN(asOfMs)) return undefined
  return {
    report,
    account,
    asOfMs,
    ...(timeZone === undefined ? {} : { timeZone }),
    ...(since === undefined ? {} : { sinceMs: Date.parse(since) }),
    ...settingsOf(settings),
    ...(owner === undefined ? {} : { owner }),
  }
}

/** Parses the settings; an unreadable value yields the report's defaults. */
function settingsOf(text: string | undefined): Pick<Origin, 'settings'> {
  if (text === undefined) return {}
  try {
    const settings = JSON.parse(text) as unknown
    return typeof settings === 'object' && settings !== null
      ? { settings: settings as Record<string, unknown> }
      : {}
  } catch {
    return {}
  }
}

function disagreement(path: string, names: readonly string[]): ConfigurationError {
  return new ConfigurationError('workbook_origin', {
    tried: `Reading the origin of ${path}`,
    expected: `the same values in the workbook's properties and on its sheet "${PROVENANCE}"`,
    came: `the values differ in ${names.join(', ')}`,
    todo: 'create a new report, and move your edits into it',
  })
}

const NAMES: ReadonlySet<string> = new Set(ORIGIN_NAMES)

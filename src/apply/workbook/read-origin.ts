import { ORIGIN_NAMES, type Origin } from '../../report/xlsx/xlsx-origin.ts'
import { readText } from '../../report/xlsx/xlsx-text.ts'
import type { XlsxParts } from './xlsx-parts.ts'

/** Returns the origin recorded in a workbook. Undefined if a property is missing or not from Callsheet. */
export async function originOf(parts: XlsxParts): Promise<Origin | undefined> {
  const related = await parts.related('')
  const part = related.find(({ kind }) => kind === 'custom-properties')?.target
  if (part === undefined || !parts.has(part)) return undefined
  const properties = new Map<string, string>()
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
  const [report, account, asOf, zone, since, settings] = ORIGIN_NAMES.map((known) =>
    properties.get(known),
  )
  const asOfMs = Date.parse(asOf ?? '')
  if (report === undefined || account === undefined || Number.isNaN(asOfMs)) return undefined
  return {
    report: readText(report),
    account: readText(account),
    asOfMs,
    ...(zone === undefined ? {} : { timeZone: readText(zone) }),
    ...(since === undefined ? {} : { sinceMs: Date.parse(since) }),
    ...settingsOf(settings),
  }
}

/** A property edited by hand falls back to the report's defaults. */
function settingsOf(text: string | undefined): Pick<Origin, 'settings'> {
  if (text === undefined) return {}
  try {
    const settings = JSON.parse(readText(text)) as unknown
    return typeof settings === 'object' && settings !== null
      ? { settings: settings as Record<string, unknown> }
      : {}
  } catch {
    return {}
  }
}

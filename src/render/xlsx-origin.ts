import type { ReportDocument } from '../core/report.ts'
import { ORIGIN_PART, type Part, xmlEscape } from './package-xml.ts'
import type { XlsxParts } from './xlsx-parts.ts'
import { cellText, readText } from './xlsx-text.ts'

/** What a workbook of ours says of itself. */
export interface Origin {
  report: string
  account: string
  /** None of the runs that its data are from ended later, epoch milliseconds. */
  asOfMs: number
  /** The zone of its times; workbooks of before do not say it. */
  timeZone?: string
}

/**
 * The document's own properties: Excel and LibreOffice show them, and keep them when a person saves the
 * workbook or gives it another name.
 */
export function originPart(document: ReportDocument): Part {
  const { report, account, asOfMs, runsEndMs = asOfMs, timeZone } = document
  const values = [report, account, new Date(runsEndMs).toISOString(), timeZone]
  const properties = NAMES.flatMap((name, at) => {
    const value = values[at]
    if (value === undefined) return []
    const text = `<vt:lpwstr>${xmlEscape(cellText(value))}</vt:lpwstr>`
    return `<property fmtid="${CUSTOM}" pid="${at + 2}" name="${name}">${text}</property>`
  })
  const spaces = `xmlns="${FORMAT}/custom-properties" xmlns:vt="${FORMAT}/docPropsVTypes"`
  const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
  return {
    name: ORIGIN_PART,
    xml: `${head}\n<Properties ${spaces}>${properties.join('')}</Properties>`,
    contentType: 'application/vnd.openxmlformats-officedocument.custom-properties+xml',
  }
}

/** Undefined where one of them is missing or not ours. */
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
  const [report, account, asOf, zone] = NAMES.map((known) => properties.get(known))
  const asOfMs = Date.parse(asOf ?? '')
  if (report === undefined || account === undefined || Number.isNaN(asOfMs)) return undefined
  const origin = { report: readText(report), account: readText(account), asOfMs }
  return zone === undefined ? origin : { ...origin, timeZone: readText(zone) }
}

const NAMES = [
  'Callsheet report',
  'Callsheet account',
  'Callsheet as of',
  'Callsheet time zone',
] as const
const FORMAT = 'http://schemas.openxmlformats.org/officeDocument/2006'
/** The set of properties that users define, the same in every document. */
const CUSTOM = '{D5CDD505-2E9C-101B-9397-08002B2CF9AE}'

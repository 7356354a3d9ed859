import type { Figure, ReportDocument } from '../../core/define/report.ts'
import { ORIGIN_PART, type Part, xmlEscape } from './package-xml.ts'
import { cellText } from './xlsx-text.ts'

/** The origin of a workbook. */
export interface Origin {
  report: string
  account: string
  /** When the last run of its data ended, in epoch milliseconds. */
  asOfMs: number
  /** The zone of its times. */
  timeZone?: string
  /** The start of the changes that it shows, in epoch milliseconds, if requested. */
  sinceMs?: number
  /** The report's settings. */
  settings?: Record<string, unknown>
  /** The owner whose rows alone it has. */
  owner?: string
}

/** Returns the document with its origin on the sheet Provenance too, for programs that drop properties. */
export function withOriginOnSheet(document: ReportDocument): ReportDocument {
  const figures = originValues(document).flatMap(([label, value]): Figure[] =>
    value === undefined ? [] : [{ label, value, format: 'text' }],
  )
  const sections = document.sections.map((section) =>
    section.provenance === true
      ? {
          ...section,
          blocks: [...section.blocks, { kind: 'figures', title: TITLE, figures }] as const,
        }
      : section,
  )
  return { ...document, sections }
}

/**
 * Writes the document's properties: Excel and LibreOffice show them, and preserve them when the workbook is
 * saved or renamed.
 */
export function originPart(document: ReportDocument): Part {
  const properties = originValues(document).flatMap(([name, value], at) => {
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

function originValues(document: ReportDocument): [string, string | undefined][] {
  const {
    report,
    account,
    asOfMs,
    runsEndMs = asOfMs,
    timeZone,
    sinceMs,
    settings,
    owner,
  } = document
  const since = sinceMs === undefined ? undefined : new Date(sinceMs).toISOString()
  const set = settings === undefined ? undefined : JSON.stringify(settings)
  const values = [report, account, new Date(runsEndMs).toISOString(), timeZone, since, set, owner]
  return ORIGIN_NAMES.map((name, at) => [name, values[at]])
}

/** The title of the last sheet. */
export const PROVENANCE = 'Provenance'
const TITLE = 'Origin, as “callsheet apply” reads it'
/** The names of the properties, in order: report, account, as of, time zone, since, settings, owner. */
export const ORIGIN_NAMES = [
  'Callsheet report',
  'Callsheet account',
  'Callsheet as of',
  'Callsheet time zone',
  'Callsheet since',
  'Callsheet settings',
  'Callsheet owner',
] as const
const FORMAT = 'http://schemas.openxmlformats.org/officeDocument/2006'
/** The ID of user-defined properties, equal in every document. */
const CUSTOM = '{D5CDD505-2E9C-101B-9397-08002B2CF9AE}'

import type { Figure, ReportDocument } from '../../core/define/report.ts'

/** The origin of a workbook. */
export interface Origin {
  report: string
  account: string
  /** When the last run of its data ended, in epoch milliseconds. */
  asOfMs: number
  /** The owner whose rows alone it has. */
  owner?: string
}

/**
 * Returns the document with its origin on the sheet Provenance: every program keeps a sheet when it saves the
 * workbook, but some drop the document's properties.
 */
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

function originValues(document: ReportDocument): [string, string | undefined][] {
  const { report, account, asOfMs, runsEndMs = asOfMs, owner } = document
  const values = [report, account, new Date(runsEndMs).toISOString(), owner]
  return ORIGIN_NAMES.map((name, at) => [name, values[at]])
}

/** The title of the last sheet. */
export const PROVENANCE = 'Provenance'
const TITLE = 'Origin, as “callsheet apply” reads it'
/** The labels of the values, in order: report, account, as of, owner. */
export const ORIGIN_NAMES = [
  'Callsheet report',
  'Callsheet account',
  'Callsheet as of',
  'Callsheet owner',
] as const

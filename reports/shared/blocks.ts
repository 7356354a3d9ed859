import type { Chart } from '../../src/core/define/chart.ts'
import type {
  Block,
  Cell,
  CellFormat,
  ChartBlock,
  Figure,
  Figures,
  Note,
  Section,
} from '../../src/core/define/report.ts'

export function note(tone: Note['tone'], text: string): Note {
  return { kind: 'note', tone, text }
}

/** Says that data was never read, and which job reads it. Example of `what`: "The SIP groups were". */
export function neverRead(what: string, { job, so }: { job: string; so?: string }): string {
  const effect = so === undefined ? '' : `, so ${so}`
  return `${what} never read${effect}. Run "callsheet sync ${job}" and create the report again.`
}

/** Makes a sheet that begins with a description. */
export function section(title: string, about: string, ...blocks: readonly Block[]): Section {
  return { title, blocks: [note('plain', about), ...blocks] }
}

/** A sheet with its finding for the first screen: one sentence that ends with the action to take. */
export interface ReportPart extends Section {
  finding?: Note | undefined
}

/** Makes a sentence for the first screen; messages about the report repeat it. */
export function finding(text: string, tone: Note['tone'] = 'warning'): Note {
  return { kind: 'note', tone, text, headline: true }
}

/** Returns the findings of these sheets in order. Each links to its sheet. */
export function findingsOf(parts: readonly ReportPart[]): Note[] {
  return parts.flatMap(({ title, finding: found }) =>
    found === undefined ? [] : [{ ...found, link: title }],
  )
}

/** Adds a description of each sheet, for the table of contents. */
export function withContents(
  sections: readonly Section[],
  contents: Readonly<Record<string, string>>,
): Section[] {
  return sections.map((one) => {
    const about = contents[one.title]
    return about === undefined ? one : { ...one, about }
  })
}

export function chart(title: string, of: Chart, width: ChartBlock['width'] = 'full'): ChartBlock {
  return { kind: 'chart', title, width, chart: of }
}

/** Makes figures that compare two periods or moments, by name. */
export function comparedFigures<Name extends string>(
  named: readonly (Partial<Figure> & { name: Name; label: string })[],
  now: Readonly<Record<NoInfer<Name>, Cell>>,
  before: Readonly<Record<NoInfer<Name>, Cell>> | undefined,
): Figure[] {
  return named.map(({ name, ...look }) => ({
    format: 'integer',
    ...look,
    value: now[name] ?? null,
    ...(before && { before: before[name] ?? null }),
  }))
}

/** Makes figures by label. A number without a format is a count. */
export function figures(
  title: string,
  values: Readonly<Record<string, Cell | readonly [Cell, CellFormat]>>,
): Figures {
  const all = Object.entries(values).map(([label, said]) => {
    const [value, format] =
      said !== null && typeof said === 'object'
        ? said
        : ([said, typeof said === 'string' ? 'text' : 'integer'] as const)
    return { label, value, format }
  })
  return { kind: 'figures', title, figures: all }
}

import { plainText } from '../../core/values/plain-text.ts'
import { count } from '../../core/values/quantities.ts'
import { asCalled } from './called-as.ts'

export interface Output {
  /** True when a person watches: colors and moving progress are welcome. */
  terminal: boolean
  /** Results, to stdout. In `--json` only `result` writes there. */
  line(text?: string): void
  table(rows: readonly TableRow[]): void
  /** Remarks and progress, to stderr; commands in them are named as people call them here. */
  note(text: string): void
  /** The one JSON document of `--json`; silent otherwise. */
  result(value: unknown): void
}

export type TableRow = readonly (string | number)[]

export type Fact = readonly [label: string, value: string | number | undefined]

export function createOutput({ json }: { json: boolean }): Output {
  const line = (text = ''): void => {
    if (!json) process.stdout.write(`${oneLine(text)}\n`)
  }
  return {
    // Some pseudo-terminals report 0 columns, which would wrap moving lines after each letter.
    terminal: process.stdout.isTTY && process.stderr.isTTY && process.stdout.columns >= 40 && !json,
    line,
    table: (rows) => {
      for (const text of layOut(rows)) line(text)
    },
    note: (text) => void process.stderr.write(`${plainText(asCalled(text), 2000)}\n`),
    result: (value) => {
      if (json) process.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`)
    },
  }
}

/** A text may quote the service, so only outer line breaks are kept: inner ones could forge a line. */
function oneLine(text: string): string {
  const [, before = '', inner = '', after = ''] = /^(\n*)(.*?)(\n*)$/s.exec(text) ?? []
  return `${before}${plainText(inner, 5000)}${after}`
}

/** Pads columns to their widest cell; numbers are right-aligned, with thousands separators. */
export function layOut(rows: readonly TableRow[]): string[] {
  const cells = rows.map((row) => row.map(show))
  const width = (column: number): number =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0))
  const widths = Array.from(
    { length: Math.max(0, ...cells.map((row) => row.length)) },
    (_, column) => width(column),
  )
  return cells.map((row, index) =>
    row
      .map((cell, column) => {
        const right =
          index === 0 ? isNumeric(rows, column) : typeof rows[index]?.[column] === 'number'
        return right ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)
      })
      .join('  ')
      .trimEnd(),
  )
}

/** Prints one line for each defined fact: its label, padded to the widest, and its value. */
export function printFacts({ line }: Pick<Output, 'line'>, facts: readonly Fact[]): void {
  const known = facts.filter(([, value]) => value !== undefined)
  const width = Math.max(...known.map(([label]) => label.length))
  for (const [label, value] of known)
    line(`${label.padEnd(width)}  ${typeof value === 'number' ? count(value) : value}`.trimEnd())
}

function show(cell: string | number): string {
  return typeof cell === 'number' ? count(cell) : plainText(cell, 200)
}

/** A column of numbers has a right-aligned heading. */
function isNumeric(rows: readonly TableRow[], column: number): boolean {
  return rows.slice(1).some((row) => typeof row[column] === 'number')
}

import { count } from '../../core/values/quantities.ts'
import { plainText } from '../../core/values/text.ts'
import { asCalled } from './called-as.ts'
import { layOut, type TableRow, wrapLine } from './table.ts'

export interface Output {
  /** Whether a person watches the output, so that colors and moving progress are useful. */
  terminal: boolean
  /**
   * Prints results to stdout; with `--json`, only `result` writes there. A terminal shows long lines broken
   * between words, unless `whole` is set for text that people copy.
   */
  line(text?: string, whole?: 'whole'): void
  table(rows: readonly TableRow[]): void
  /** Prints remarks and progress to stderr. Commands in the text appear as people call them here. */
  note(text: string): void
  /** Prints the one JSON document of `--json`; otherwise prints nothing. */
  result(value: unknown): void
}

export type Fact = readonly [label: string, value: string | number | undefined]

export function createOutput({ json }: { json: boolean }): Output {
  const line: Output['line'] = (text = '', whole) => {
    if (json) return
    const width = whole === undefined ? terminalWidth() : undefined
    for (const part of oneLine(text).split('\n'))
      process.stdout.write(`${wrapLine(part, width).join('\n')}\n`)
  }
  return {
    terminal: process.stderr.isTTY && terminalWidth() !== undefined && !json,
    line,
    table: (rows) => {
      for (const text of layOut(rows, terminalWidth())) line(text, 'whole')
    },
    note(text) {
      const lines = wrapLine(plainText(asCalled(text), 2000), terminalWidth(process.stderr))
      process.stderr.write(`${lines.join('\n')}\n`)
    },
    result: (value) => {
      if (json) process.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`)
    },
  }
}

/**
 * Returns the terminal's width; undefined if it is not a terminal, or narrower than 40 columns. Some
 * pseudo-terminals report 0 columns, which would wrap after each letter.
 */
export function terminalWidth(
  { isTTY = false, columns = 0 }: { isTTY?: boolean; columns?: number } = process.stdout,
): number | undefined {
  return isTTY && columns >= 40 ? columns : undefined
}

/** Joins inner lines, because a text may quote the service and a line break inside it could forge a line. */
function oneLine(text: string): string {
  const [, before = '', inner = '', after = ''] = /^(\n*)(.*?)(\n*)$/s.exec(text) ?? []
  return `${before}${plainText(inner, 5000)}${after}`
}

/** Prints each defined fact: its label, padded to the widest, and its value. */
export function printFacts({ line }: Pick<Output, 'line'>, facts: readonly Fact[]): void {
  const rows = facts.flatMap(([label, value]): TableRow[] =>
    value === undefined ? [] : [[label, typeof value === 'number' ? count(value) : value]],
  )
  for (const text of layOut([FACT_COLUMNS, ...rows], terminalWidth())) line(text, 'whole')
}

const FACT_COLUMNS: TableRow = ['', { heading: '', least: 30, whole: true }]

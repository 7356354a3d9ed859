import { count } from '../../core/values/quantities.ts'
import { plainText } from '../../core/values/text.ts'
import { asCalled } from './called-as.ts'
import { layOut, type TableRow } from './table.ts'

export interface Output {
  /** Whether a person watches the output, so that colors and moving progress are useful. */
  terminal: boolean
  /** Prints results to stdout. With `--json`, only `result` writes there. */
  line(text?: string): void
  table(rows: readonly TableRow[]): void
  /** Prints remarks and progress to stderr. Commands in the text appear as people call them here. */
  note(text: string): void
  /** Prints the one JSON document of `--json`; otherwise prints nothing. */
  result(value: unknown): void
}

export type Fact = readonly [label: string, value: string | number | undefined]

export function createOutput({ json }: { json: boolean }): Output {
  const line = (text = ''): void => {
    if (!json) process.stdout.write(`${oneLine(text)}\n`)
  }
  return {
    terminal: process.stderr.isTTY && terminalWidth() !== undefined && !json,
    line,
    table: (rows) => {
      for (const text of layOut(rows, terminalWidth())) line(text)
    },
    note: (text) => void process.stderr.write(`${plainText(asCalled(text), 2000)}\n`),
    result: (value) => {
      if (json) process.stdout.write(`${JSON.stringify(value, undefined, 2)}\n`)
    },
  }
}

/**
 * Returns the terminal's width; undefined if it is not a terminal, or narrower than 40 columns. Some
 * pseudo-terminals report 0 columns, which would wrap after each letter.
 */
export function terminalWidth(): number | undefined {
  const { isTTY, columns } = process.stdout
  return isTTY && columns >= 40 ? columns : undefined
}

/** Joins inner lines, because a text may quote the service and a line break inside it could forge a line. */
function oneLine(text: string): string {
  const [, before = '', inner = '', after = ''] = /^(\n*)(.*?)(\n*)$/s.exec(text) ?? []
  return `${before}${plainText(inner, 5000)}${after}`
}

/** Prints one line for each defined fact: its label, padded to the widest, and its value. */
export function printFacts({ line }: Pick<Output, 'line'>, facts: readonly Fact[]): void {
  const known = facts.filter(([, value]) => value !== undefined)
  const width = Math.max(...known.map(([label]) => label.length))
  for (const [label, value] of known)
    line(`${label.padEnd(width)}  ${typeof value === 'number' ? count(value) : value}`.trimEnd())
}

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SECTIONS } from './sections.ts'

interface Counted {
  document: number
  /** A deeper one ends with the next of any depth. */
  depth: number
  rows: number
}

/**
 * The rows of each section in the order of the document: lines of tables, items of lists, and prose. A line
 * that only leads in what follows (it ends with a colon and names no two things itself), the head of a table
 * and a heading are none.
 */
export function countRows(text: string, document: number): Counted[] {
  const counted: Counted[] = []
  const lines = text.split('\n')
  for (const [at, line] of lines.entries()) {
    const heading = /^(#{2,3}) /.exec(line)?.[1]
    const last = counted.at(-1)
    if (heading !== undefined) counted.push({ document, depth: heading.length, rows: 0 })
    else if (last !== undefined && isRow(line, lines[at + 1])) last.rows++
  }
  return counted
}

function isRow(line: string, next = ''): boolean {
  const ruled = /^\|[-|: ]+\|$/
  if (line.startsWith('|')) return !ruled.test(line) && !ruled.test(next)
  const names = line.match(/`[^`]+`/g)?.length ?? 0
  return line.trim() !== '' && (!line.endsWith(':') || names > 1)
}

/** What differs between the documents and what is pinned; nothing if all is as it was. */
export function differences(counted: readonly Counted[]): string[] {
  const length = Math.max(counted.length, SECTIONS.length)
  return Array.from({ length }, (_, at) => {
    const [found, pinned] = [counted[at], SECTIONS[at]]
    if (found === undefined) return `${pinned?.id}: not in the documents`
    if (pinned === undefined) return `document ${found.document}: a section without an ID`
    const moved = found.document !== pinned.document
    return moved || found.rows !== pinned.rows
      ? `${pinned.id}: ${found.rows} in document ${found.document}, pinned ${pinned.rows}`
      : []
  }).flat()
}

if (import.meta.main) {
  const directory = process.argv[2] ?? '.'
  const files = readdirSync(directory).filter((name) => /^\d{3}_.*\.txt$/.test(name))
  const counted = files
    .toSorted()
    .flatMap((name, at) => countRows(readFileSync(join(directory, name), 'utf8'), at + 1))
  for (const [at, { document, depth, rows }] of counted.entries())
    process.stdout.write(
      `${document} ${' '.repeat(2 * (depth - 2))}${SECTIONS[at]?.id ?? '?'} ${rows}\n`,
    )
  const wrong = differences(counted)
  for (const line of wrong) process.stderr.write(`${line}\n`)
  process.exitCode = wrong.length > 0 || files.length !== 3 ? 1 : 0
}

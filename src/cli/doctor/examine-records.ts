import type { Page } from '../../api/answers/payload.ts'
import type { RowContext, Stream } from '../../core/define/stream.ts'
import { cutRow, type RecordFinding } from '../../core/records/map-record.ts'
import { keyOf } from '../../core/records/record-key.ts'
import type { WireRecord } from '../../core/values/json.ts'
import { count } from '../../core/values/quantities.ts'
import type { Finding } from './findings.ts'

/**
 * Reports how a page's records differ from the stream's declaration: records that cannot be stored,
 * unreadable or missing values, and undocumented fields. The report contains no values.
 */
export function examineRecords(
  account: string,
  stream: Stream,
  { records, context }: { records: Pick<Page['records'], 'count' | 'parse'>; context: RowContext },
): Finding[] {
  const seen = new Map<string, Set<number>>()
  const note = (what: string, at: number) => seen.set(what, (seen.get(what) ?? new Set()).add(at))
  for (let at = 0; at < records.count; at++) {
    const record = records.parse(at) as WireRecord
    const key = keyOf(stream, record, context)
    if ('refused' in key) note(`cannot be stored: ${key.refused}`, at)
    else
      for (const finding of cutRow(stream, record, { ...key, context }).findings)
        note(textOf(finding), at)
  }
  const check = `${account} ${stream.name}`
  const of = count(records.count)
  return [...seen].map(([what, { size }]) => ({
    check,
    state: /^(cannot|lacks)/.test(what) ? 'warning' : 'ok',
    text: `${count(size)} of ${of} records: ${what}`,
  }))
}

function textOf({ kind, path, example }: RecordFinding): string {
  if (kind === 'broken_value') return `cannot be read in ${path}, which is of type ${example}`
  if (kind === 'missing_value') return `lacks ${path}`
  if (kind === 'unknown_value') return `has a value in ${path} that no document names`
  return `has ${path}, which no document names`
}

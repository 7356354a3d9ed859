import { itemsOf } from '../../src/core/define/operation.ts'
import type { Stream } from '../../src/core/define/stream.ts'
import { nestedItems, prepareRow } from '../../src/core/records/prepare-row.ts'
import { keyOf } from '../../src/core/records/record-key.ts'
import type { WireRecord } from '../../src/core/values/json.ts'
import { declaredStreams } from '../../src/resources/declared.ts'
import type { Answers } from './asking.ts'
import { valuesAt } from './shown.ts'

/**
 * Whether a field of a stream's records is kept: some answer has it filled, and without it the row, or one
 * that is cut from the record, would be another. Undefined where no answer has it.
 */
export function isKept(answers: Answers, stream: Stream, field: string): boolean | undefined {
  const filled = recordsOf(answers, stream).filter((record) =>
    valuesAt(record, field).some((value) => value !== null && !isEmpty(value)),
  )
  if (filled.length === 0) return undefined
  return filled.some((record) => rowsOf(stream, record) !== rowsOf(stream, without(record, field)))
}

function recordsOf(answers: Answers, { sync, operation }: Stream): WireRecord[] {
  if (sync.kind === 'nested')
    return recordsOf(answers, sync.parent).flatMap(
      (record) => nestedItems(sync.items(record)).items,
    )
  const place = itemsOf(operation) ?? ''
  return (answers.get(operation.id) ?? []).flatMap(
    (answer) => valuesAt(answer, place).flat() as WireRecord[],
  )
}

/** All columns of the row and of those that are cut from it, as one text. */
function rowsOf(stream: Stream, record: WireRecord): string {
  const nestedStreams = declaredStreams.filter(
    ({ sync }) => sync.kind === 'nested' && sync.parent === stream,
  )
  const context = { ordinal: 0, filter: {}, ...parentOf(stream) }
  const found = keyOf(stream, record, context)
  if ('refused' in found) return 'no row'
  const row = prepareRow({ stream, nestedStreams, findings: [], quarantined: [] }, record, {
    ...found,
    context,
    text: '',
    hash: Buffer.alloc(16),
  })
  const children = row.children.map(({ rows }) => rows.map(({ values }) => values))
  return JSON.stringify([row.values, children])
}

function parentOf({ sync, key }: Stream) {
  const needed = sync.kind === 'nested' || sync.kind === 'fan-out'
  return needed ? { parent: { key: [`the ${key[0]}`], record: undefined } } : {}
}

function without(value: unknown, field: string): WireRecord {
  const [first = '', ...rest] = field.split('.')
  if (Array.isArray(value)) return value.map((one) => without(one, field)) as unknown as WireRecord
  if (typeof value !== 'object' || value === null) return value as WireRecord
  const { [first]: inner, ...others } = value as Record<string, unknown>
  return rest.length === 0 || inner === undefined
    ? others
    : { ...others, [first]: without(inner, rest.join('.')) }
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

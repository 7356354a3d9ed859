import { itemsOf, type Operation } from '../../src/core/define/operation.ts'
import { rawNumber } from '../../src/core/values/json.ts'
import type { Readings } from '../readings/readings.ts'
import { translateHeaders } from './translate-words.ts'

/** Shapes the body of a success by the readings. Operations without paging keep their body. */
export function shapeAnswer(readings: Readings, operation: Operation, body: object): object {
  const items = itemsOf(operation)
  if (operation.paging === undefined) return body
  if (items === undefined) return shapeWhole(readings, shapeValue(readings, body) as object)
  const { [items]: records, ...rest } = body as Record<string, unknown>
  return { ...shapeEnvelope(readings, rest), [items]: shapeValue(readings, records) }
}

function shapeWhole({ wholeLists }: Readings, body: object): object {
  return Array.isArray(body) && wholeLists === 'wrapped' ? { total: body.length, list: body } : body
}

export function shapeRefusal({ errorBody }: Readings, body: unknown): unknown {
  if (typeof body !== 'object' || body === null || !('code' in body)) return body
  const { code } = body
  if (errorBody === 'text') return { ...body, code: String(code) }
  if (errorBody === 'nested') return { error: body }
  return errorBody === 'wordless' ? { code } : body
}

export function shapeHeaders(
  readings: Readings,
  known: Record<string, string>,
): Record<string, string> {
  const { answerHeaders } = readings
  const headers = translateHeaders(readings, known)
  if (answerHeaders === 'few') return { 'content-type': 'application/json' }
  return answerHeaders === 'untyped' ? { ...headers, 'content-type': 'text/plain' } : headers
}

function shapeEnvelope(
  { envelope }: Readings,
  fields: Record<string, unknown>,
): Record<string, unknown> {
  const entries = Object.entries(fields)
  if (envelope === 'bare')
    return Object.fromEntries(entries.filter(([name]) => name === 'next_page_token'))
  if (envelope !== 'text') return fields
  return Object.fromEntries(
    entries.map(([name, value]) => [name, typeof value === 'number' ? String(value) : value]),
  )
}

function shapeValue(readings: Readings, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => shapeValue(readings, one))
  if (typeof value !== 'object' || value === null || rawNumber(value) !== undefined) return value
  const entries = Object.entries(value).flatMap(([name, one]): [string, unknown][] => {
    if (one === null || one === '') return emptyField(readings, name, one)
    if (Array.isArray(one) && one.length === 0) return emptyList(readings, name)
    // Numbers with many digits are objects too, but not plain ones.
    return [[name, isPlain(one) ? shapeValue(readings, one) : one]]
  })
  return Object.fromEntries(entries)
}

function emptyField({ emptyFields }: Readings, name: string, as: unknown): [string, unknown][] {
  if (emptyFields === 'absent') return []
  if (emptyFields === 'mixed') return [[name, as]]
  return [[name, emptyFields === 'null' ? null : '']]
}

function emptyList({ emptyLists }: Readings, name: string): [string, unknown][] {
  if (emptyLists === 'absent') return []
  return [[name, emptyLists === 'null' ? null : []]]
}

function isPlain(value: unknown): boolean {
  return (
    Array.isArray(value) ||
    (typeof value === 'object' &&
      value !== null &&
      Object.getPrototypeOf(value) === Object.prototype)
  )
}

import { itemsOf, type Operation } from '../../src/core/define/operation.ts'
import type { Readings } from '../readings/readings.ts'

/** Adds the fields around a list's records, by the readings; undefined for a response without content. */
export function envelopeAnswer(
  readings: Readings,
  operation: Operation,
  body: object,
): object | undefined {
  if (operation.paging === undefined || operation.paging.style === 'record') return body
  const items = itemsOf(operation)
  const records: unknown = items === undefined ? body : (body as Record<string, unknown>)[items]
  const empty = Array.isArray(records) && records.length === 0
  if (empty && readings.emptyPage === 'no-content') return undefined
  if (items === undefined) return body
  const nothing = { list: [], null: null, object: {}, 'no-content': [] }[readings.emptyPage]
  return {
    ...successCode(readings),
    ...body,
    ...echoOf(readings, body),
    ...(empty ? { [items]: nothing } : {}),
  }
}

function successCode({ successCode: code }: Readings): object {
  if (code === 'none') return {}
  if (code === 'zero') return { code: 0, message: 'OK' }
  return code === 'null' ? { code: null, message: null } : { code: 200, message: 'success' }
}

function echoOf({ echoes }: Readings, body: { from?: unknown; to?: unknown }): object {
  const spelled = (['from', 'to'] as const).flatMap((name) => {
    const ms = typeof body[name] === 'string' ? Date.parse(body[name]) : Number.NaN
    return Number.isNaN(ms) || echoes === 'same' ? [] : [[name, SPELLED[echoes](ms)] as const]
  })
  return Object.fromEntries(spelled)
}

const SPELLED = {
  millis: (ms: number) => new Date(ms).toISOString(),
  offset: (ms: number) => `${new Date(ms + 7_200_000).toISOString().slice(0, 19)}+02:00`,
  epoch: (ms: number) => ms,
}

/** Returns a wrong Content-Encoding header, unless the reading is `none`: the body is never encoded. */
export function encodingNamed({ contentEncoding }: Readings): Record<string, string> {
  if (contentEncoding === 'none') return {}
  return { 'content-encoding': contentEncoding === 'plain' ? 'gzip' : 'utf-8' }
}

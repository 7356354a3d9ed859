import type { CallArguments, Operation } from '../define/operation.ts'
import { plainString } from '../values/plain-values.ts'
import type { WireRecord } from '../values/wire-record.ts'

/**
 * Whether an answer, or a record of it, names another record than the one that was requested. IDs are
 * compared with IDs, and addresses with addresses; an answer that gives no such name says nothing.
 */
export function namesOther(
  { names = {} }: Operation,
  { path = {} }: CallArguments,
  record: WireRecord,
): boolean {
  return Object.entries(names).some(([placeholder, fields]) => {
    const requested = path[placeholder]
    if (requested === undefined || requested === 'me') return false
    const given = fields
      .map((field) => plainString(record[field]) ?? '')
      .filter((name) => name !== '' && isAddress(name) === isAddress(requested))
    return given.length > 0 && !given.some((name) => isSame(name, requested))
  })
}

const isAddress = (name: string): boolean => name.includes('@')

/** An address has no case; an ID may come back as it stood in the path, encoded once or twice. */
function isSame(name: string, requested: string): boolean {
  if (name === requested) return true
  if (isAddress(requested)) return name.toLowerCase() === requested.toLowerCase()
  const once = encodeURIComponent(requested.toWellFormed())
  return name === once || name === encodeURIComponent(once)
}

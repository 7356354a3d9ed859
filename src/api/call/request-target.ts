import { encodeId, wayOf } from '../../core/define/id-encoding.ts'
import type { CallArguments, Operation } from '../../core/define/operation.ts'
import { UnusableValueError } from '../../core/errors.ts'
import { documentedRule, type PathWays } from './path-ids.ts'

/**
 * The path and query of a call, below the base address. `prefix` is the base address's path, e.g. `/v2`.
 * Without `ways`, IDs are encoded as documented.
 */
export function requestTarget({ operation, args, ways = {} }: Target, prefix: string): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_match, name: string) => {
    const value = usableValue(operation, name, args.path?.[name])
    return encodeId(value, ways[name] ?? wayOf(documentedRule(operation, name), value))
  })
  const query = encodeQuery(operation, withPageSize(operation, args.query ?? {}))
  return `${prefix}${path}${query === '' ? '' : `?${query}`}`
}

interface Target {
  operation: Operation
  args: CallArguments
  ways?: PathWays | undefined
}

/** The page size is always sent: otherwise the service uses a small default without saying so. */
function withPageSize(operation: Operation, query: NonNullable<CallArguments['query']>) {
  const { paging } = operation
  return paging?.style !== 'token' || query.page_size !== undefined
    ? query
    : { ...query, page_size: paging.maxPageSize }
}

function usableValue(operation: Operation, name: string, value: string | undefined): string {
  // `.` and `..` would lead up the path, even encoded.
  if (value === undefined || value === '') throw unusable(operation, name, 'none')
  if (/^\.{1,2}$/.test(value)) throw unusable(operation, name, 'only dots')
  return wellFormed(operation, name, value)
}

function encodeQuery(operation: Operation, query: NonNullable<CallArguments['query']>): string {
  const pairs: string[] = []
  for (const [name, value] of Object.entries(query)) {
    // An empty page token asks for the last page on some operations and for an error on others.
    if (value === undefined || (name === 'next_page_token' && value === '')) continue
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [value]) {
      pairs.push(
        `${encodeURIComponent(name)}=${encodeURIComponent(wellFormed(operation, name, String(one)))}`,
      )
    }
  }
  return pairs.join('&')
}

/** Half of a surrogate pair has no UTF-8 bytes, but JSON can contain it. */
function wellFormed(operation: Operation, name: string, value: string): string {
  if (value.isWellFormed()) return value
  throw unusable(operation, name, 'text that no address can hold')
}

function unusable({ method, path, id }: Operation, name: string, came: string): UnusableValueError {
  return new UnusableValueError('unusable_value', {
    tried: `calling ${method} ${path} (${id})`,
    expected: `a value for {${name}}`,
    came,
  })
}

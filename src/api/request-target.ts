import { UnusableValueError } from '../core/errors.ts'
import type { CallArguments, Operation } from '../core/operation.ts'

/**
 * The path and query of a call, beneath the base address. `prefix` is the base address's own path, e.g.
 * `/v2`.
 */
export function requestTarget(operation: Operation, args: CallArguments, prefix: string): string {
  const path = operation.path.replace(/\{(\w+)\}/g, (_match, name: string) =>
    encodePathValue(operation, name, args.path?.[name]),
  )
  const query = encodeQuery(operation, withPageSize(operation, args.query ?? {}))
  return `${prefix}${path}${query === '' ? '' : `?${query}`}`
}

/** The page size is always sent: without it the service takes a small default, in silence. */
function withPageSize(operation: Operation, query: NonNullable<CallArguments['query']>) {
  const { paging } = operation
  return paging?.style !== 'token' || query.page_size !== undefined
    ? query
    : { ...query, page_size: paging.maxPageSize }
}

function encodePathValue(operation: Operation, name: string, value: string | undefined): string {
  // `.` and `..` would climb the path, even encoded.
  if (value === undefined || value === '') throw unusable(operation, name, 'none')
  if (/^\.{1,2}$/.test(value)) throw unusable(operation, name, 'only dots')
  const twice = operation.encodeTwice?.includes(name) === true && /[/+%]/.test(value)
  const once = encode(operation, name, value)
  return twice ? encodeURIComponent(once) : once
}

function encodeQuery(operation: Operation, query: NonNullable<CallArguments['query']>): string {
  const pairs: string[] = []
  for (const [name, value] of Object.entries(query)) {
    // An empty page token asks for the last page on some operations and for an error on others.
    if (value === undefined || (name === 'next_page_token' && value === '')) continue
    for (const one of Array.isArray(value) ? (value as readonly string[]) : [value]) {
      pairs.push(`${encodeURIComponent(name)}=${encode(operation, name, String(one))}`)
    }
  }
  return pairs.join('&')
}

/** Half of a surrogate pair has no bytes of UTF-8, and JSON can say it. */
function encode(operation: Operation, name: string, value: string): string {
  if (value.isWellFormed()) return encodeURIComponent(value)
  throw unusable(operation, name, 'text that no address can hold')
}

function unusable({ method, path, id }: Operation, name: string, came: string): UnusableValueError {
  return new UnusableValueError('unusable_value', {
    tried: `calling ${method} ${path} (${id})`,
    expected: `a value for {${name}}`,
    came,
  })
}

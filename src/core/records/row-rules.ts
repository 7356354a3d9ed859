import type { FileSource } from '../define/file-source.ts'
import type { Stream } from '../define/stream.ts'
import type { ColumnSettings } from './column-policy.ts'
import { derivedFrom, fieldsRead, unstoredRefusal } from './column-rules.ts'
import { decidingStream } from './row-part.ts'

/** Returns why an account cannot keep only a part of this stream; undefined if it can. */
function partRefusal(stream: Stream, files: readonly FileSource[]): string | undefined {
  const { sync, deletions } = stream
  const root = decidingStream(stream)
  if (root !== stream) return `follows ${root.name}, row by row; name the part there`
  if (sync.kind === 'windows')
    return 'is read by date ranges, which prove rows together; only lists that are read whole have parts'
  const rows = files.flatMap((source) => [source.parent, ...source.rows.map((one) => one.stream)])
  if (rows.some((one) => decidingStream(one) === stream))
    return 'has archived files, whose evidence needs all rows; remove it here'
  return deletions.by === 'detail' || deletions.by === 'second-read'
    ? undefined
    : 'is never checked for deleted rows, so rows that leave a part would stay; remove it here'
}

interface NamedField {
  stream: Stream
  /** The field's name in the configuration; a dot leads into a field that contains objects. */
  field: string
  columns: ColumnSettings
}

/** Returns why a field of `policyFields` cannot decide which records are kept; undefined if it can. */
export function partFieldRefusal(
  { stream, field, columns }: NamedField,
  { streams, files }: { streams: readonly Stream[]; files: readonly FileSource[] },
): string | undefined {
  const refused = partRefusal(stream, files)
  if (refused !== undefined) return `cannot be kept in part: ${stream.name} ${refused}`
  const [first = '', ...inner] = field.split('.')
  const { key, sync, personal } = stream
  const column = stream.columns[first]
  if (key.includes(first)) return 'is part of the key; name a field that many records share'
  if (sync.kind === 'snapshot' && sync.requests().some(({ filter }) => first in filter))
    return 'tells the lists of the stream apart, and records may lack it; remove it here'
  const unfit = unstoredRefusal(stream, first)
  if (unfit !== undefined) return unfit
  if (personal.includes(first))
    return 'is personal, and reports and logs name the values of a part; remove it here'
  const below = streams.find(
    (one) =>
      one.sync.kind === 'nested' &&
      one.sync.parent === stream &&
      fieldsRead(one.sync.items).includes(first),
  )
  if (below !== undefined) return `contains the rows of ${below.name}; remove it here`
  if (column?.pg === 'timestamptz' || column?.pg === 'jsonb')
    return 'is a time or a structure, which has no list of values; remove it here'
  const known = innerFields(stream, first)
  if (known.length > 0 && (inner.length !== 1 || !known.includes(inner[0] ?? '')))
    return `contains objects; name one of their fields: ${known.map((one) => `${first}.${one}`).join(', ')}`
  if (known.length === 0 && inner.length > 0)
    return `contains no objects with documented fields; name ${first} or remove it here`
  const policy = Object.entries(columns[stream.name] ?? {}).find(
    ([one]) => `${field}.`.startsWith(`${one}.`) || `${one}.`.startsWith(`${field}.`),
  )
  return (
    policy &&
    `is changed by the column policy (${policy[0]}: ${policy[1]}); remove it there or here`
  )
}

/** Returns the names of the fields that the stream's columns use from an object in `field`. */
function innerFields(stream: Stream, field: string): string[] {
  return fieldsRead((inner) => derivedFrom(stream, (name) => (name === field ? inner : undefined)))
}

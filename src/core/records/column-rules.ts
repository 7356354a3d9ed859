import type { FileSource } from '../define/file-source.ts'
import { fieldsOf, type Stream } from '../define/stream.ts'
import type { WireRecord } from '../values/json.ts'

/** The documented fields of a stream's records, by which a column policy names them. */
export function policyFields({ columns, also = [], transient }: Stream): string[] {
  return [...new Set([...Object.keys(columns), ...also, ...transient])]
}

interface Named {
  stream: Stream
  /** As in the configuration; a dot leads into a field that contains objects. */
  field: string
  action: 'drop' | 'hash'
}

/** Why a column policy cannot name this field of `policyFields`; undefined if it can. */
export function columnRefusal(
  { stream, field, action }: Named,
  all: { streams: readonly Stream[]; files: readonly FileSource[] },
): string | undefined {
  const [first = '', ...inner] = field.split('.')
  const { columns, key } = stream
  if (isAudited(stream))
    return 'is in an audited stream, whose records are evidence and stored as shown; remove it here'
  if (key.includes(first)) return 'is part of the key, by which rows are found; remove it here'
  const unfit = unstoredRefusal(stream, first)
  if (unfit !== undefined) return unfit
  const need = neededFor(stream, field, all)
  if (need !== undefined)
    return need.startsWith('below') ? `is ${need}` : `is needed ${need}; remove it here`
  const column = inner.length === 0 ? columns[first] : undefined
  const isText =
    column === undefined || (column.pg.startsWith('text') && column.known === undefined)
  // A key may have a digest only if detail calls check missing rows: for such rows the lists are read again.
  const isKey = decidesKey(stream, field)
  const mayHash = isText && !(isKey && stream.deletions.by !== 'detail')
  const instead = mayHash ? 'hash it instead' : 'remove it here'
  if (isKey && (action === 'drop' || !mayHash)) return `is part of the key of some rows; ${instead}`
  if (action === 'drop' && stream.expected?.includes(field) === true)
    return `is in every record by the documents, and a record without it counts as damaged; ${instead}`
  return action === 'drop' || mayHash
    ? undefined
    : 'has no free text, so a digest does not fit or is soon guessed; drop it instead'
}

/** Why no setting can name a field that is not stored as received; undefined for other fields. */
export function unstoredRefusal(stream: Stream, first: string): string | undefined {
  const transient: readonly string[] = stream.transient
  if (transient.includes(first)) return 'is never stored; remove it here'
  const read = derivedFrom(stream)
  return Object.keys(deriveFrom(stream, {})).includes(first) && !read.includes(first)
    ? `is computed; name the field it comes from instead (one of ${read.join(', ')}, such as a.b)`
    : undefined
}

function isAudited({ audited, sync }: Stream): boolean {
  return audited === true || (sync.kind === 'nested' && isAudited(sync.parent))
}

/** What the engine needs a field for (`to ...`), or the nested stream that it is `below`; else undefined. */
function neededFor(
  stream: Stream,
  field: string,
  { streams, files }: { streams: readonly Stream[]; files: readonly FileSource[] },
): string | undefined {
  const { sync, deletions } = stream
  const isOneOf = (...names: (string | undefined)[]): boolean => names.includes(field)
  if (sync.kind === 'windows' && isOneOf(sync.cursor, sync.besidesColumn))
    return 'to read the stream by date ranges'
  if (sync.kind === 'snapshot' && sync.requests().some(({ filter }) => field in filter))
    return 'to tell the lists of the stream apart'
  if (deletions.by === 'detail' && isOneOf(deletions.expiresAt)) return 'to tell expired rows'
  for (const { name, sync: other } of streams) {
    if (other.kind === 'fan-out' && other.parent === stream) {
      const { from, to } = other.within ?? {}
      const changes = (other.again?.versions ?? []).filter(
        (version) => stream.columns[version]?.pg === 'timestamptz',
      )
      if (isOneOf(from, to, ...changes)) return `to read ${name}`
    }
    if (other.kind !== 'nested' || other.parent !== stream) continue
    const items = fieldsRead((record) => other.items(record))
    if (items.some((item) => field.startsWith(`${item}.`))) return `below ${name}, so name it there`
    if (isOneOf(...items, ...(other.measuredBy ?? []), other.countedBy))
      return `to check that ${name} is complete`
  }
  for (const { parent, expiresAt, withheld, rows } of files) {
    const own = rows.filter((row) => row.stream === stream)
    const facts = own.flatMap(({ item, ordinal, since }) => [item, ordinal, since])
    if (isOneOf(...facts) || (parent === stream && isOneOf(expiresAt, withheld)))
      return 'to archive the files'
  }
  return isOneOf(...provingFields(stream)) ? 'to recognize the trash' : undefined
}

/** The fields of nested records by which a list of the parent stream is recognized. */
function provingFields({ sync }: Stream): string[] {
  if (sync.kind !== 'nested') return []
  const { sync: above } = sync.parent
  const lists = above.kind === 'windows' ? (above.besides?.() ?? []) : []
  const requests = above.kind === 'snapshot' ? above.requests() : lists
  return requests.flatMap(({ disproved }) => {
    const found: string[] = []
    const item = probe(found, () => undefined)
    disproved?.by(probe([], () => [item]))
    return found
  })
}

/** Whether the key can depend on the field: a record of only this field has another key than an empty one. */
export function decidesKey(stream: Stream, field: string): boolean {
  const keyOf = (record: WireRecord): string => {
    const derived = deriveFrom(stream, record)
    return JSON.stringify(stream.key.map((name) => String(derived[name])))
  }
  return fieldsOf(stream, field).some((name) => keyOf({ [name]: 'x' }) !== keyOf({}))
}

/** Returns the names of the fields from which the stream computes columns, given the values of `valueOf`. */
export function derivedFrom(stream: Stream, valueOf?: (name: string) => unknown): string[] {
  return fieldsRead((record) => deriveFrom(stream, record), valueOf)
}

function deriveFrom({ derive }: Stream, record: WireRecord): Readonly<Record<string, unknown>> {
  const context = { ordinal: 0, filter: {}, parent: { key: [''], record: undefined } }
  return derive?.(record, context) ?? {}
}

/** Returns the fields that `read` accesses. Each field has the value from `valueOf`, by default undefined. */
export function fieldsRead(
  read: (record: WireRecord) => unknown,
  valueOf: (name: string) => unknown = () => undefined,
): string[] {
  const found: string[] = []
  read(probe(found, valueOf))
  return found
}

function probe(found: string[], valueOf: (name: string) => unknown): WireRecord {
  return new Proxy(
    {},
    {
      get(_, name) {
        if (typeof name === 'string' && !found.includes(name)) found.push(name)
        return typeof name === 'string' ? valueOf(name) : undefined
      },
    },
  )
}

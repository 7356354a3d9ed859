import type { Stream } from '../core/define/stream.ts'
import { isAbout, isPersonValue, redactValue } from '../core/persons/redact.ts'
import type { Suppression } from '../core/persons/suppression.ts'
import { hashOf } from '../core/records/record-hash.ts'
import { parseLossless } from '../core/values/json.ts'
import { byteaText } from '../warehouse/schema/table-sql.ts'
import type { StoredVersion } from './sql/erasure-rows.ts'

/** What happens to a version: it is deleted, is changed, or stays because it does not concern the person. */
export type VersionFate =
  | { kind: 'goes' }
  | { kind: 'changes'; patch: string; columns: string[] }
  | { kind: 'stays' }

/** Decides the fate of a version from its own row and stored bytes, without looking at other versions. */
export function checkVersion(
  stream: Stream,
  { row, source }: Pick<StoredVersion, 'row' | 'source'>,
  suppression: Suppression,
): VersionFate {
  const stored = parseLossless(row) as Record<string, unknown>
  if (isAbout(stream, stored, suppression)) return { kind: 'goes' }
  // `isAbout` may be false for an address beside another person's ID. A row whose key names the person is
  // deleted all the same, because a part of a key cannot be removed.
  if (stream.key.some((name) => isPersonValue(suppression, stored[name]))) return { kind: 'goes' }
  const { _raw: payload } = stored
  const raw = redactValue(stream, payload, { suppression })
  const beside = raw !== payload
  const columns = Object.fromEntries(
    Object.keys(stream.columns).map((name) => [name, stored[name]]),
  )
  const kept = redactValue(stream, columns, { suppression, beside }) as typeof columns
  const values = Object.entries(kept).filter(([name, value]) => value !== columns[name])
  if (stream.key.some((name) => kept[name] !== columns[name])) return { kind: 'goes' }
  const text = source === null ? undefined : redactedText(stream, source, suppression)
  if (values.length === 0 && !beside && text === undefined) return { kind: 'stays' }
  const patch = {
    ...Object.fromEntries(values),
    ...(beside ? { _raw: raw } : {}),
    ...(text === undefined ? {} : { _bytes: byteaText(Buffer.from(text)) }),
    // The next read compares its record with this hash. No digest of the unredacted record may remain.
    _hash: byteaText(hashOf(text ?? JSON.stringify([kept, raw]))),
  }
  return { kind: 'changes', patch: JSON.stringify(patch), columns: Object.keys(patch) }
}

/** Returns the redacted text; undefined if the text does not name the person. */
function redactedText(
  stream: Stream,
  source: string,
  suppression: Suppression,
): string | undefined {
  const record = parseLossless(source)
  const redacted = redactValue(stream, record, { suppression })
  return redacted === record ? undefined : JSON.stringify(redacted)
}

import { maskSecrets, plainText } from '../../core/values/text.ts'

export type Fields = Readonly<Record<string, string | number | boolean | undefined>>

/**
 * The names of fields that may be logged. Add a name only after considering which values the field may
 * contain. Of any other field only the name is logged, under `withheld`.
 */
export const SAFE_FIELDS: ReadonlySet<string> = new Set(
  [
    'account again attempt bytes calls calls_per_second channel code count day duration_ms epoch error',
    'inserted job',
    'label left level limit migration missing ms name operation owned page pages pass pid pool quarantined',
    'reason received renewals report request retry_after_ms rows run',
    'scopes seconds service_code slice slices spent',
    'state status stream table tracking_id tries unchanged until updated url version wait_ms window',
  ].flatMap((line) => line.split(' ')),
)

export function safeFields(fields: Fields): Record<string, string | number | boolean> {
  const safe: Record<string, string | number | boolean> = {}
  const withheld: string[] = []
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    if (!SAFE_FIELDS.has(name)) withheld.push(plainText(name, 40))
    else safe[name] = typeof value === 'string' ? plainText(withoutQuery(name, value)) : value
  }
  if (withheld.length > 0) safe.withheld = withheld.join(', ')
  return safe
}

/** Masks secrets, and removes the query of an address, which can contain tokens and personal data. */
function withoutQuery(name: string, value: string): string {
  const masked = maskSecrets(value)
  return name === 'url' || name === 'path' ? masked.replace(/[?#].*$/s, '') : masked
}

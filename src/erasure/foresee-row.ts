import { parseLossless } from '../core/values/lossless-json.ts'
import { checkVersion } from './check-version.ts'
import type { Erasing } from './erasing.ts'
import { LEDGERS } from './sql/erasure-ledgers.ts'
import type { RowInPlace, TableName } from './sql/telling-rows.ts'

/** What an erasure would leave of a row that names the person; undefined where it would delete the row. */
export function foreseeRow(
  { streams, suppression, heldPlaces }: Erasing,
  [schema, name]: TableName,
  found: RowInPlace,
): RowInPlace | undefined {
  if (schema === 'callsheet') return foreseeLedgerRow(name, found)
  const stream = streams.find((one) => one.name === name)
  if (stream === undefined || heldPlaces.has(placeOf(found))) return found
  const fate = checkVersion(stream, found, suppression)
  if (fate.kind !== 'changes') return fate.kind === 'stays' ? found : undefined
  const { _bytes: bytes, ...patch } = JSON.parse(fate.patch) as Record<string, unknown>
  const source = typeof bytes === 'string' ? Buffer.from(bytes.slice(2), 'hex').toString() : null
  return { ...patched(found, patch), source: source ?? found.source }
}

/** Rows of ledgers without a treatment of their own go with the records, files and slices they are about. */
function foreseeLedgerRow(name: string, found: RowInPlace): RowInPlace | undefined {
  const treatment = LEDGERS[name]
  if (treatment === undefined || 'none' in treatment) return found
  return 'emptied' in treatment ? { ...patched(found, treatment.emptied), source: null } : undefined
}

function patched(found: RowInPlace, patch: Readonly<Record<string, unknown>>): RowInPlace {
  const row = { ...(parseLossless(found.row) as object), ...patch }
  return { ...found, row: JSON.stringify(row) }
}

export const placeOf = ({ table, place }: Pick<RowInPlace, 'table' | 'place'>): string =>
  `${table} ${place}`

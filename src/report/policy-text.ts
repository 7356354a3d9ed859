import type { ColumnAction } from '../core/records/column-policy.ts'
import type { PartKept } from '../warehouse/keep-out/row-parts.ts'

export interface Withheld {
  dropped: readonly string[]
  hashed: readonly string[]
}

/** The fields of these streams that the column policy in force drops or hashes. */
export function policyOf(
  fields: readonly { stream: string; field: string; action: ColumnAction }[],
  streams: readonly string[],
): Withheld | undefined {
  const named = (wanted: ColumnAction): string[] =>
    fields.flatMap(({ stream, field, action }) =>
      action === wanted && streams.includes(stream) ? [`${stream}.${field}`] : [],
    )
  const withheld = { dropped: named('drop'), hashed: named('hash') }
  return withheld.dropped.length + withheld.hashed.length === 0 ? undefined : withheld
}

interface Policies {
  policy?: Withheld | undefined
  part?: PartKept | undefined
}

/** Says which rows and values the settings keep out, in sentences that begin with a space; may be empty. */
export function policyText(coverage: readonly Policies[]): string {
  const dropped = coverage.flatMap(({ policy }) => policy?.dropped ?? [])
  const hashed = coverage.flatMap(({ policy }) => policy?.hashed ?? [])
  const empty = `The column policy drops ${dropped.join(', ')}: what shows or counts them is empty, not zero.`
  const digests = `The column policy hashes ${hashed.join(', ')}: digests are in their place.`
  const parts = [...new Set(coverage.flatMap(({ part }) => part?.text ?? []))].join('; ')
  return [
    parts === '' ? '' : ` Only a part of the account is kept: ${parts}.`,
    dropped.length > 0 ? ` ${empty}` : '',
    hashed.length > 0 ? ` ${digests}` : '',
  ].join('')
}

/** Whether the account's settings keep values or rows out of the report. Hashed columns do not count. */
export function isWithheld(coverage: readonly Policies[]): boolean {
  return coverage.some(
    ({ policy, part }) => part !== undefined || (policy?.dropped.length ?? 0) > 0,
  )
}

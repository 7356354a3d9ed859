import { type Company, type CompanyIds, rowCount } from '../company/company.ts'
import { type Kind, overlayOf, type State } from '../company/state.ts'
import type { Call } from './call.ts'
import { type Listing, rangeListing } from './listing.ts'

/** The row of an ID, if it is there. */
export function findRow(
  { company }: Call,
  kind: Kind & keyof CompanyIds,
  id: string | undefined,
): number | undefined {
  const index = company.ids[kind]?.indexOf(id ?? '')
  return index !== undefined && isThere(company, company.state, { kind, index }) ? index : undefined
}

export function isThere(
  company: Company,
  state: State,
  { kind, index }: { kind: Kind; index: number },
): boolean {
  return index < rowCount(company, state, kind) && !overlayOf(state, kind).gone.has(index)
}

/** Rows that are there, in the order in which they were made. */
export function rowsOf(company: Company, state: State, kind: Kind): Listing {
  const until = rowCount(company, state, kind)
  return rangeListing({ from: 0, until, without: [...overlayOf(state, kind).gone] })
}

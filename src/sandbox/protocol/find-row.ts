import type { CompanyIds } from '../company/company.ts'
import type { Kind } from '../company/state.ts'
import type { Call } from './call.ts'

/** The row of an ID, if it is there. */
export function findRow(
  { company }: Call,
  kind: Kind & keyof CompanyIds,
  id: string | undefined,
): number | undefined {
  const index = company.ids[kind].indexOf(id ?? '')
  const { gone, added } = company.state[kind]
  const there = index !== undefined && index < company.sizes[kind] + added && !gone.has(index)
  return there ? index : undefined
}

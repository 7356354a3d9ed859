import type { Company } from './company.ts'
import { userAt, userCount, userTruth } from './users.ts'

export type TruthRow = Readonly<Record<string, unknown>>

/** What the warehouse must hold of a stream now, row by row, by the sandbox's own reading of the documents. */
export function* truthOf(company: Company, stream: string, _nowMs: number): Generator<TruthRow> {
  if (stream === 'users') yield* usersTruth(company)
  else throw new RangeError(`no truth is kept for ${stream}`)
}

function* usersTruth(company: Company): Generator<TruthRow> {
  const { state } = company
  for (let index = 0; index < userCount(company, state); index++)
    if (!state.users.gone.has(index)) yield userTruth(userAt(company, state, index))
}

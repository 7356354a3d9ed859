import type { Stream } from '../core/define/stream.ts'
import { type Identity, identityOf, LONGEST, tokenOf } from '../core/persons/identity.ts'
import { type Suppression, suppressionOf } from '../core/persons/suppression.ts'
import { withoutPersons } from '../core/persons/without-persons.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import { readSuppressions } from '../warehouse/keep-out/suppressions.ts'
import { personalRows } from './sql/personal-rows.ts'
import { listedSuppressions } from './sql/suppressions.ts'

/** A person on the suppression list whom the tables contain again. */
export interface FoundPerson {
  /** Whether the person's name is erased from every column too. */
  byName: boolean
  /** IDs come first, because an ID leads to all other identities of a person. */
  identities: Identity[]
}

/**
 * Returns the IDs and addresses in an account's tables that match a digest on the suppression list. They
 * belong to erased persons whom a restored backup contains again. Searches the texts of `personalRows`, also
 * inside longer texts.
 */
export async function findListedPersons(
  { warehouse, streams }: { warehouse: Pick<Warehouse, 'transaction'>; streams: readonly Stream[] },
  account: string,
): Promise<FoundPerson[]> {
  return await warehouse.transaction(
    async (tx) => {
      const list = await readSuppressions(tx, account)
      const suppression = suppressionOf(list)
      if (suppression.empty) return []
      const found = new Map<string, Identity>()
      for await (const row of personalRows(tx, account, streams))
        for (const text of textsOf(row))
          for (const one of personsIn(text, suppression)) found.set(tokenOf(list.key, one), one)
      return byRequest(found, await listedSuppressions(tx, account))
    },
    { snapshot: true },
  )
}

function byRequest(
  found: ReadonlyMap<string, Identity>,
  listed: Awaited<ReturnType<typeof listedSuppressions>>,
): FoundPerson[] {
  // The list is ordered by request. Its reversal makes the first request with a digest win.
  const first = new Map(listed.toReversed().map(({ token, requestId }) => [token, requestId]))
  const wide = new Set(
    listed.filter(({ counts }) => counts === 'name_everywhere').map(({ requestId }) => requestId),
  )
  return [...Map.groupBy(found, ([token]) => first.get(token))].map(([request, group]) => ({
    byName: request !== undefined && wide.has(request),
    identities: group.map(([, one]) => one).toSorted((a, b) => rankOf(a) - rankOf(b)),
  }))
}

function personsIn(text: string, suppression: Suppression): Identity[] {
  const found: Identity[] = []
  const isPerson = (part: string): boolean => {
    if (!suppression.isPerson(part)) return false
    const identity = identityOf(part.replace(/^pending:/, ''))
    if (identity.text.length <= LONGEST) found.push(identity)
    return true
  }
  if (!isPerson(text)) withoutPersons(text, isPerson)
  return found
}

function* textsOf(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value
  else if (Array.isArray(value)) for (const one of value) yield* textsOf(one)
  else if (typeof value === 'object' && value !== null)
    for (const one of Object.values(value)) yield* textsOf(one)
}

function rankOf({ kind }: Identity): number {
  return kind === 'id' ? 0 : 1
}

import { type Identity, identityOf, tokenOf } from '../../../src/core/persons/identity.ts'
import { type Suppression, suppressionOf } from '../../../src/core/persons/suppression.ts'
import { spelledOutPatterns } from '../../../src/core/spelled-out.ts'
import type { RowSearch } from '../../../src/erasure/sql/mentioning-rows.ts'
import { searchPatterns } from '../../../src/erasure/sql/patterns.ts'

/** An erasure's search for persons of whom only these IDs and addresses are known. */
export function searchFor(...texts: string[]): RowSearch {
  const identities = texts.map(identityOf)
  const sought = {
    identities,
    suppression: listOf(identities),
    others: new Set<string>(),
    othersWords: [],
  }
  return {
    account: 'account-0',
    likely: searchPatterns(identities),
    spelledOut: identities.map(({ text }) => spelledOutPatterns(text)),
    sought: () => sought,
  }
}

export function listOf(identities: readonly Identity[]): Suppression {
  const key = Buffer.alloc(32, 7)
  const persons = new Set(identities.map((identity) => tokenOf(key, identity)))
  return suppressionOf({ key, persons, names: new Map() })
}

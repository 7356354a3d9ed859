import {
  countsEverywhere,
  type Identity,
  identityAsSpelled,
  LONGEST,
  nameOf,
  SHORTEST,
  tokenOf,
} from './identity.ts'
import { unveiledText } from './veiled.ts'
import { withoutPersons } from './without-persons.ts'

/** Tokens of the persons about whom an account must no longer store anything. */
export interface SuppressionList {
  key: Uint8Array
  /** The tokens of IDs and addresses. */
  persons: ReadonlySet<string>
  /** The tokens of names, and whether a name counts everywhere or only beside the person's ID or address. */
  names: ReadonlyMap<string, 'beside' | 'everywhere'>
}

export interface Suppression {
  /** Nobody is on the list, so no check is needed. */
  readonly empty: boolean
  isPerson(text: string): boolean
  nameCounts(text: string): 'beside' | 'everywhere' | undefined
  /** Removes the addresses and IDs of listed persons; returns the text unchanged if it has none. */
  withoutPersons(text: string): string
}

export function suppressionOf({ key, persons, names }: SuppressionList): Suppression {
  const isPerson = (text: string): boolean => {
    if (persons.size === 0 || text.length < SHORTEST || text.length > LONGEST_VEILED) return false
    const identity = identityAsSpelled(withoutPending(unveiledText(text)))
    return identity.text.length <= LONGEST && persons.has(tokenOf(key, identity))
  }
  return {
    empty: persons.size === 0 && names.size === 0,
    isPerson,
    nameCounts: (text) =>
      names.size === 0 || text.length > LONGEST_VEILED
        ? undefined
        : names.get(tokenOf(key, nameOf(text))),
    withoutPersons: (text) => (persons.size === 0 ? text : withoutPersons(text, isPerson)),
  }
}

/** A list of one person alone, so that earlier erasures of others are not repeated. */
export function onlyOf(identities: readonly Identity[], byName: boolean): Suppression {
  const key = Buffer.alloc(32)
  const persons = identities.filter(({ kind }) => kind !== 'name')
  const names = identities.filter(({ kind }) => kind === 'name')
  return suppressionOf({
    key,
    persons: new Set(persons.map((identity) => tokenOf(key, identity))),
    names: new Map(
      names.map((identity) => [
        tokenOf(key, identity),
        countsEverywhere(identity, byName) ? 'everywhere' : 'beside',
      ]),
    ),
  })
}

const withoutPending = (text: string): string =>
  text.startsWith(PENDING) ? text.slice(PENDING.length) : text

/** Begins the key of a user without an ID, before their address. */
const PENDING = 'pending:'
/** Allows 15 characters of encoding for each, as in the twice percent-encoded `%25EF%25BC%25A1`. */
const LONGEST_VEILED = LONGEST * 15

import { hash } from 'node:crypto'
import { foldText } from '../values/fold-text.ts'
import { unveiledText } from './veiled.ts'

/**
 * How a person is found in what the service says. An ID or an address names one person; a name is shared by
 * many, so it counts only beside one of the others, unless somebody decided that it shall count everywhere.
 */
export interface Identity {
  kind: 'id' | 'address' | 'name'
  text: string
}

/**
 * IDs stay as they are spelled; addresses and names are compared without regard to case and to spaces, and
 * all of them without what veils a text.
 */
export function identityOf(text: string): Identity {
  return identityAsSpelled(unveiledText(text))
}

/** Of a text that nothing veils, or whose veils count. */
export function identityAsSpelled(text: string): Identity {
  const spelled = text.trim()
  return ADDRESS.test(spelled)
    ? { kind: 'address', text: foldText(spelled).toLowerCase() }
    : { kind: 'id', text: spelled }
}

export function nameOf(text: string): Identity {
  return { kind: 'name', text: folded(unveiledText(text)) }
}

/**
 * Whether it is long enough to be told from other values: "1" would empty half of the tables, and "2026" is
 * in most dates.
 */
export function identifies({ text }: Identity): boolean {
  const shortest = /^\d+$/.test(text) ? SHORTEST_WITHIN : SHORTEST
  return text.length >= shortest && text.length <= LONGEST
}

/** Whether a name counts without the person beside it: only if that was asked for, and not "Li". */
export function countsEverywhere(name: Identity, byName: boolean): boolean {
  return byName && identifies(name)
}

/**
 * What stands for an identity in the list of who was erased: a digest under a key of the account, so that
 * the list itself names nobody. 32 hex digits.
 */
export function tokenOf(key: Uint8Array, { kind, text }: Identity): string {
  return hash('sha256', `${Buffer.from(key).toString('hex')}:${kind}:${text}`, 'hex').slice(0, 32)
}

function folded(text: string): string {
  return text.trim().replace(/\s+/g, ' ').normalize('NFC').toLowerCase()
}

export const SHORTEST = 4
/** Of an ID inside a longer text, or of digits alone. */
export const SHORTEST_WITHIN = 8
/** The longest address that mail takes is 254 characters long; keys are at most 512. */
export const LONGEST = 512
const ADDRESS = /^[^\s@]+@[^\s@]+$/

export function isIdentities(value: unknown): value is Identity[] {
  return (
    Array.isArray(value) &&
    value.every(({ kind, text }: Partial<Identity>) => {
      return typeof text === 'string' && (kind === 'id' || kind === 'address' || kind === 'name')
    })
  )
}

import { hash } from 'node:crypto'
import { foldText } from '../values/text.ts'
import { unveiledText } from './veiled.ts'

/**
 * Text by which a person is found. An ID or address names one person; a name is shared by many, so it counts
 * only beside an ID or address of the person, unless an operator decided that it counts everywhere.
 */
export interface Identity {
  kind: 'id' | 'address' | 'name'
  text: string
}

/** IDs are case-sensitive, addresses are not. Drops spaces around the text, after decoding it. */
export function identityOf(text: string): Identity {
  return identityAsSpelled(unveiledText(text))
}

/** `identityOf` for text that is decoded already, or must be compared as spelled. */
export function identityAsSpelled(text: string): Identity {
  const spelled = text.trim()
  return ADDRESS.test(spelled)
    ? { kind: 'address', text: foldText(spelled).toLowerCase() }
    : { kind: 'id', text: spelled }
}

export function nameOf(text: string): Identity {
  return { kind: 'name', text: folded(unveiledText(text)) }
}

/** Whether the text has a length to search for: "1" would match half of the rows, "2026" most dates. */
export function identifies({ text }: Identity): boolean {
  const shortest = /^\d+$/.test(text) ? SHORTEST_WITHIN : SHORTEST
  return text.length >= shortest && text.length <= LONGEST
}

/** Whether a name counts without an ID or address beside it: only if requested, and not one like "Li". */
export function countsEverywhere(name: Identity, byName: boolean): boolean {
  return byName && identifies(name)
}

/** A digest of 32 hex digits, keyed by account, so that the list of erased persons names nobody. */
export function tokenOf(key: Uint8Array, { kind, text }: Identity): string {
  return hash('sha256', `${Buffer.from(key).toString('hex')}:${kind}:${text}`, 'hex').slice(0, 32)
}

function folded(text: string): string {
  return text.trim().replace(/\s+/g, ' ').normalize('NFC').toLowerCase()
}

export const SHORTEST = 4
/** The shortest ID that counts inside a longer text, or that consists of digits only. */
export const SHORTEST_WITHIN = 8
/** Mail addresses have at most 254 characters; keys at most 512. */
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

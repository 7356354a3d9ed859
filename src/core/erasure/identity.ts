import { hash } from 'node:crypto'

/**
 * How a person is found in what the service says. An ID or an address names one person; a name is shared by
 * many, so it counts only beside one of the others, unless somebody decided that it shall count everywhere.
 */
export interface Identity {
  kind: 'id' | 'address' | 'name'
  text: string
}

/** IDs stay as they are spelled; addresses and names are compared without regard to case and to spaces. */
export function identityOf(text: string): Identity {
  const spelled = text.trim()
  return ADDRESS.test(spelled)
    ? { kind: 'address', text: folded(spelled) }
    : { kind: 'id', text: spelled }
}

export function nameOf(text: string): Identity {
  return { kind: 'name', text: folded(text) }
}

/** Whether it is long enough to be told from other values: "1" would empty half of the tables. */
export function isTelling({ text }: Identity): boolean {
  return text.length >= SHORTEST && text.length <= LONGEST
}

/**
 * What stands for an identity in the list of who was erased: a digest under a key of the account, so that
 * the list itself names nobody. 32 hex digits.
 */
export function tokenOf(key: Uint8Array, { kind, text }: Identity): string {
  return hash('sha256', `${Buffer.from(key).toString('hex')}:${kind}:${text}`, 'hex').slice(0, 32)
}

export function folded(text: string): string {
  return text.trim().replace(/\s+/g, ' ').normalize('NFC').toLowerCase()
}

/** The addresses inside a longer text, as they stand there. */
export function addressesWithin(text: string): string[] {
  return text.includes('@') ? (text.match(WITHIN) ?? []) : []
}

export const SHORTEST = 4
/** The longest address that mail takes is 254 characters long; keys are at most 512. */
export const LONGEST = 512
const ADDRESS = /^[^\s@]+@[^\s@]+$/
const WITHIN = /[^\s"'<>,;:(){}[\]@/?=&]+@[^\s"'<>,;:(){}[\]@/?=&]+/g

export function isIdentities(value: unknown): value is Identity[] {
  return (
    Array.isArray(value) &&
    value.every(({ kind, text }: Partial<Identity>) => {
      return typeof text === 'string' && (kind === 'id' || kind === 'address' || kind === 'name')
    })
  )
}

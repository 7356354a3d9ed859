import { originAfter } from './checkpoint.ts'
import { isDigest, NOTHING_BEFORE } from './digest.ts'
import { isCount, parsed } from './entry.ts'
import type { Findings } from './finding.ts'
import { padded } from './head.ts'
import { isSignedBy, type PublicKey } from './signing-key.ts'

/**
 * A break in the chain of heads, as the holder of a key states it: the database was restored from a backup
 * that ends with the head `after`, and the heads from there to `to` are lost. Their numbers are not given
 * again, so that there are never two heads of one number.
 */
export interface HeadBreak {
  v: 1
  account: string
  /** 0 where the backup had no head. */
  after: number
  after_hash: string
  /** The newest head that is lost. Each head names the one before, so its hash stands for all of them. */
  to: number
  to_hash: string
  /**
   * The name of the log from there on: the one of before ended with the heads that are lost, and whoever has
   * seen them would take a continuation without them for a second log.
   */
  origin: string
  at: string
  /** The fingerprint of the key that signed this. */
  key: string
}

/** A break as it was given to us. */
export interface GivenBreak {
  line: string
  signature: Uint8Array
  /** The key that is said to have signed it; undefined where there is no usable key. */
  key: PublicKey | undefined
}

/** The break as it is signed: one line with its fields in a fixed order. */
export function breakLine(one: HeadBreak): string {
  const { v, account, after, after_hash, to, to_hash, origin, at, key } = one
  return JSON.stringify({ what: WHAT, v, account, after, after_hash, to, to_hash, origin, at, key })
}

/** Reads a line's break; undefined unless the line is exactly what `breakLine` makes of a break. */
export function readBreak(line: string): HeadBreak | undefined {
  const value = parsed(line)
  if (typeof value !== 'object' || value === null) return undefined
  const one = value as HeadBreak
  const fits =
    typeof one.account === 'string' &&
    typeof one.at === 'string' &&
    isCount(one.after) &&
    isCount(one.to) &&
    one.to > one.after &&
    [one.after_hash, one.to_hash, one.key].every(isDigest) &&
    one.v === 1 &&
    one.origin === originAfter(one.account, one.to)
  return fits && breakLine(one) === line ? one : undefined
}

/** The breaks that a trusted key signed; of the others the findings tell. */
export function checkBreaks(
  {
    account,
    keys,
    findings,
  }: { account: string; keys: readonly string[]; findings: Pick<Findings, 'add'> },
  given: readonly GivenBreak[],
): HeadBreak[] {
  return given.flatMap(({ line, signature, key }) => {
    const one = readBreak(line)
    if (one === undefined) {
      findings.add('break_unreadable', 'a break', { found: 'not a line that this program writes' })
      return []
    }
    const what = `the break after head ${one.after}`
    const expected = keys.length > 0 ? keys.join(' or ') : one.key
    const found = key?.fingerprint ?? 'no Ed25519 key'
    if (one.account !== account)
      findings.add('other_account', what, { expected: account, found: one.account })
    else if (found !== one.key || (keys.length > 0 && !keys.includes(found)))
      findings.add('key_exchanged', what, { expected, found })
    else if (key === undefined || !isSignedBy(key, line, signature))
      findings.add('signature_wrong', what, { expected: `a signature by the key ${one.key}` })
    else return [one]
    return []
  })
}

/** Where the chain goes on after a head (`undefined`: at its beginning): past the heads that are lost. */
export function lostAfter(
  breaks: readonly HeadBreak[],
  head: { number: number; hash: string } | undefined,
): number {
  const { number, hash } = head ?? { number: 0, hash: NOTHING_BEFORE }
  const own = breaks.filter(({ after, after_hash: of }) => after === number && of === hash)
  return Math.max(number, ...own.map(({ to }) => to))
}

/** The name of the store's note of a break. Names of notes cannot contain folders. */
export function breakNote(one: Pick<HeadBreak, 'after' | 'to'>, ending: 'json' | 'sig'): string {
  return `break-${padded(one.after)}-${padded(one.to)}.${ending}`
}

/** So that its signature can be of nothing else that the key signs. */
const WHAT = 'callsheet break'

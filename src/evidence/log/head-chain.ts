import { NOTHING_BEFORE } from './digest.ts'
import type { Findings } from './finding.ts'
import { type Head, headHash, readHead } from './head.ts'
import { type HeadBreak, lostAfter } from './head-break.ts'
import { isSignedBy, type PublicKey } from './signing-key.ts'

/** A head as it was given to us. */
export interface GivenHead {
  number: number
  line: string
  signature: Uint8Array
  /** The key that is said to have signed it; undefined where there is no usable key. */
  key: PublicKey | undefined
}

/** A head that could be read. */
export interface CheckedHead extends Head {
  hash: string
  line: string
}

export interface HeadRules {
  account: string
  /** The fingerprints of the trusted keys, the current one first; if empty, any key is trusted. */
  keys: readonly string[]
  findings: Findings
  /** Those that a trusted key signed: after them the chain goes on past the lost heads. */
  breaks?: readonly HeadBreak[]
}

/**
 * Checks that each head follows the one before and is signed by a trusted key. Keys follow one another:
 * whoever holds an older key, perhaps a leaked one, can sign no head of today with it.
 */
export function checkHeadChain(rules: HeadRules, given: readonly GivenHead[]): CheckedHead[] {
  const { findings, account, breaks = [] } = rules
  const heads: CheckedHead[] = []
  const succession = new Succession(rules.keys[0])
  let before: CheckedHead | undefined
  let due = 1
  for (const one of given) {
    const head = readHead(one.line)
    const what = `head ${one.number}`
    const lost = lostAfter(breaks, before)
    if (one.number > lost) due = Math.max(due, lost + 1)
    findMissing(findings, due, one.number)
    due = one.number + 1
    if (head === undefined) {
      findings.add('head_unreadable', what, { found: 'not a line that this program writes' })
      continue
    }
    if (head.number !== one.number)
      findings.add('head_changed', what, { found: `its line says that it is head ${head.number}` })
    if (head.account !== account)
      findings.add('other_account', what, { expected: account, found: head.account })
    checkSequence(findings, head, before)
    checkSignature(rules, one, { head, succession })
    before = { ...head, hash: headHash(one.line), line: one.line }
    heads.push(before)
  }
  return heads
}

/** Each, as far as they can be told one by one: a number may be as large as its name has room for. */
function findMissing(findings: Findings, from: number, before: number): void {
  const found = `head ${before} follows`
  const each = Math.min(before, from + MOST_EACH)
  for (let due = from; due < each; due++) findings.add('head_missing', `head ${due}`, { found })
  if (each < before) findings.add('head_missing', `heads ${each} to ${before - 1}`, { found })
}

function checkSequence(findings: Findings, head: Head, before: CheckedHead | undefined): void {
  const what = `head ${head.number}`
  const expected = before?.hash ?? NOTHING_BEFORE
  if (head.prev_head !== expected)
    findings.add('head_chain_broken', what, { expected, found: head.prev_head })
  const first = (before?.last ?? 0) + 1
  if (head.first !== first || head.last < head.first)
    findings.add('head_chain_broken', what, {
      expected: `a batch that begins with entry ${first}`,
      found: `entries ${head.first} to ${head.last}`,
    })
}

function checkSignature(
  { findings, keys }: HeadRules,
  given: GivenHead,
  { head, succession }: { head: Head; succession: Succession },
): void {
  const what = `head ${given.number}`
  const { key } = given
  const fingerprint = key?.fingerprint ?? 'no Ed25519 key'
  const signed = key !== undefined && isSignedBy(key, given.line, given.signature)
  if (fingerprint !== head.key)
    findings.add('key_exchanged', what, { expected: head.key, found: fingerprint })
  else if (keys.length > 0 && !keys.includes(fingerprint))
    findings.add('key_exchanged', what, { expected: keys.join(' or '), found: fingerprint })
  else if (signed) {
    const followed = succession.instead(fingerprint)
    if (followed !== undefined)
      findings.add('key_exchanged', what, {
        expected: `${followed}, which followed`,
        found: fingerprint,
      })
  }
  if (!signed)
    findings.add('signature_wrong', what, { expected: `a signature by the key ${head.key}` })
}

/** The order of the signing keys: a replaced key never returns, and none follows the current one. */
class Succession {
  readonly #today: string | undefined
  readonly #before = new Set<string>()
  #current: string | undefined

  constructor(today: string | undefined) {
    this.#today = today
  }

  /** Adds the key of the next head; returns the key that should have signed, if it is another one. */
  instead(key: string): string | undefined {
    const current = this.#current
    if (key === current) return undefined
    if (current !== undefined) {
      if (current === this.#today || this.#before.has(key)) return current
      this.#before.add(current)
    }
    this.#current = key
    return undefined
  }
}

/** What is unknown while an older key signed the newest head: whether its holder signed all anew. */
export function unjudgedKey(
  heads: readonly CheckedHead[],
  { keys, pinned }: { keys: readonly string[]; pinned: boolean },
): string[] {
  const last = heads.at(-1)
  if (last === undefined || keys.length === 0 || last.key === keys[0] || pinned) return []
  return [
    `Whether head ${last.number}, the newest, was signed anew by who holds the key of before, ` +
      `${last.key}: name the newest checkpoint that you noted, --checkpoint SIZE:ROOT.`,
  ]
}

/** What a reader must know of the breaks: what the lost heads covered can be shown by nobody any more. */
export function knownBreaks(breaks: readonly HeadBreak[]): string[] {
  return breaks.map(
    ({ after, to, at, key }) =>
      `What the heads ${after + 1} to ${to} covered: they were lost when the database was restored from ` +
      `a backup, as the holder of the key ${key} stated at ${at}.`,
  )
}

const MOST_EACH = 1_000

import { describe, expect, it } from 'vitest'
import { NOTHING_BEFORE } from '../../../src/evidence/log/digest.ts'
import { Findings } from '../../../src/evidence/log/finding.ts'
import { headHash, headLine } from '../../../src/evidence/log/head.ts'
import {
  checkHeadChain,
  type GivenHead,
  unjudgedKey,
} from '../../../src/evidence/log/head-chain.ts'
import type { SigningKey } from '../../../src/evidence/log/signing-key.ts'
import { newKey } from '../../helpers/evidence-stage.ts'

const KEYS = { A: newKey(), B: newKey(), C: newKey() }
type Named = keyof typeof KEYS
const fingerprintOf = (name: Named): string => KEYS[name].publicKey.fingerprint
const all = (names: string): Named[] => names.split('') as Named[]

/** Heads by the keys, each as right as who holds that key can make it. */
function headsBy(signers: readonly SigningKey[]): GivenHead[] {
  let before = NOTHING_BEFORE
  return signers.map(({ publicKey, sign }, at) => {
    const number = at + 1
    const line = headLine({
      v: 1,
      account: 'main',
      number,
      first: number,
      last: number,
      root: NOTHING_BEFORE,
      last_entry: NOTHING_BEFORE,
      prev_head: before,
      at: '2026-06-01T00:00:00.000Z',
      key: publicKey.fingerprint,
      coverage: [],
    })
    before = headHash(line)
    return { number, line, signature: sign(line), key: publicKey }
  })
}

function checked(signers: string, believed: string) {
  const findings = new Findings()
  const keys = all(believed).map(fingerprintOf)
  const given = headsBy(all(signers).map((name) => KEYS[name]))
  const heads = checkHeadChain({ account: 'main', keys, findings }, given)
  return { findings: findings.kept, heads, keys }
}

describe('a key that another followed', () => {
  it.each([
    ['ABA', 'BA', [3], 'B'],
    ['ABAB', 'BA', [3], 'B'],
    ['ABAA', 'BA', [3, 4], 'B'],
    // Before the present key has signed anything, and where its first head is the first of all.
    ['ABA', 'CBA', [3], 'B'],
    ['ABAC', 'CBA', [3], 'B'],
    ['BA', 'BA', [2], 'B'],
    // Also for who knows no key to compare with.
    ['ABA', '', [3], 'B'],
  ])('signs no more: %s where %s are believed', (signers, believed, numbers, due) => {
    const { findings, heads } = checked(signers, believed)
    expect(heads).toHaveLength(signers.length)
    expect(findings).toEqual(
      numbers.map((number) => ({
        code: 'key_exchanged',
        what: `head ${number}`,
        expected: `${fingerprintOf(due as Named)}, which followed`,
        found: fingerprintOf('A'),
      })),
    )
  })

  it.each([
    ['A', 'A'],
    ['AAB', 'BA'],
    ['ABBCC', 'CBA'],
    ['AB', ''],
  ])('is believed for what it signed before: %s where %s are', (signers, believed) => {
    const { findings, heads, keys } = checked(signers, believed)
    expect(findings).toEqual([])
    expect(unjudgedKey(heads, { keys, pinned: false })).toEqual([])
  })

  it('leaves open who signed, as long as the one that followed has signed nothing', () => {
    const { findings, heads, keys } = checked('AA', 'BA')
    expect(findings).toEqual([])
    const said = expect.stringMatching(`^Whether head 2, .* ${fingerprintOf('A')}: `) as string
    expect(unjudgedKey(heads, { keys, pinned: false })).toEqual([said])
    expect(unjudgedKey(heads, { keys, pinned: true })).toEqual([])
  })
})

describe('heads that are missing', () => {
  it.each([2, 500, 999_999_999_999_999])(
    'are told before head %i, by no more work than can be',
    (number) => {
      const findings = new Findings()
      const given = headsBy([KEYS.A]).map((head) => ({ ...head, number }))
      checkHeadChain({ account: 'main', keys: [], findings }, given)
      const told = findings.kept
        .filter(({ code }) => code === 'head_missing')
        .map(({ what }) => what)
      expect(findings.total).toBeLessThan(1_010)
      expect(told[0]).toBe('head 1')
      expect(told).toHaveLength(Math.min(1_000, number - 1))
    },
  )
})

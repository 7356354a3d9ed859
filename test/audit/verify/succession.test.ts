import { describe, expect, it } from 'vitest'
import { Succession } from '../../../src/audit/verify/succession.ts'

/** For each checkpoint, the key that should have signed it, if that is another one. */
function instead(signers: string, today: string | undefined): (string | undefined)[] {
  const succession = new Succession(today)
  return signers.split('').map((key) => succession.instead(key))
}

const none = undefined

describe('a key with a successor', () => {
  it.each([
    ['ABA', 'B', [none, none, 'B']],
    ['ABAB', 'B', [none, none, 'B', none]],
    ['ABAA', 'B', [none, none, 'B', 'B']],
    // The current key has signed nothing yet, or signed last, or signed the first checkpoint of all.
    ['ABA', 'C', [none, none, 'B']],
    ['ABAC', 'C', [none, none, 'B', none]],
    ['BA', 'B', [none, 'B']],
    // No current key is known.
    ['ABA', undefined, [none, none, 'B']],
  ])(
    'may no longer sign (checkpoints signed by %s, current key %s)',
    (signers, today, expected) => {
      expect(instead(signers, today)).toEqual(expected)
    },
  )

  it.each([
    ['A', 'A'],
    ['AAB', 'B'],
    ['ABBCC', 'C'],
    ['AA', 'B'],
    ['AB', undefined],
  ])(
    'is trusted for earlier signatures (checkpoints signed by %s, current key %s)',
    (signers, today) => {
      expect(instead(signers, today)).toEqual(signers.split('').map(() => undefined))
    },
  )
})

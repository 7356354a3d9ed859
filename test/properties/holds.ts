import { randomInt } from 'node:crypto'
import * as fc from 'fast-check'

/** Drawn once and for all, so that what was found once is looked at in every run. */
const FIXED_SEED = 20_260_708

/**
 * Checks a property on half of the draws from the fixed seed and on half from a fresh one. What fails is
 * shrunk, and its message names the seed and the path, which `fc.assert` takes to repeat it.
 */
export async function holds(property: fc.IRawProperty<unknown>, runs = 1_000): Promise<void> {
  const numRuns = Math.ceil(runs / 2)
  for (const seed of [FIXED_SEED, randomInt(2 ** 31)]) {
    // An asynchronous property answers a promise, any other nothing.
    await fc.assert(property, { seed, numRuns })
  }
}

/** Text of everything: whole letters, single code units (so lone surrogates) and what is awkward. */
export const anyText = (maxLength = 40): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ unit: 'grapheme', maxLength }),
    fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength })
      .map((units) => String.fromCharCode(...units)),
    fc
      .array(fc.constantFrom(...AWKWARD), { maxLength: Math.ceil(maxLength / 4) })
      .map((parts) => parts.join('')),
  )

const AWKWARD = [
  '\0',
  '\u2400',
  '\ufffd',
  '\ud800',
  '\udc00',
  '\u001f',
  '\\',
  '\\u0000',
  '\\ud800',
  '/',
  '//',
  '%',
  '%2F',
  '+',
  '=',
  '-',
  '@',
  "'",
  '"',
  ',',
  '\r',
  '\n',
  '\t',
  ' ',
  '\u00a0',
  '\ufeff',
  '_x0041_',
  '_x',
  'a',
  'é',
  '𝄞',
  '漢',
  '<',
  '&',
]

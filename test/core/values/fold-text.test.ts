import { expect, it } from 'vitest'
import { foldText } from '../../../src/core/values/text.ts'

it.each([
  ['Anna Schmidt', 'ANNA SCHMIDT'],
  ['Straße', 'STRASSE'],
  ['ẞ', 'ss'],
  ['Zoe\u0308', 'ZOË'],
  ['ΜΑΡΙΟΣ', 'μαριος'],
  ['ΜΑΡΙΟΣ', 'μαριοσ'],
  ['İBRAHİM', 'ibrahim'],
  ['ｆｕｌｌ', 'ＦＵＬＬ'],
])('%s and %s are folded to the same text', (one, other) =>
  expect(foldText(one)).toBe(foldText(other)),
)

it.each([
  ['Zoe', 'Zoë'],
  ['Anna', 'Anne'],
  ['Ａ', 'A'],
])('%s and %s are folded to different texts', (one, other) =>
  expect(foldText(one)).not.toBe(foldText(other)),
)

it('two parts of a text are folded like the whole, wherever it is cut', () => {
  const text = 'Σίσυφος ẞ İ K Ω'
  for (let at = 1; at < text.length; at++)
    expect(foldText(text.slice(0, at)) + foldText(text.slice(at))).toBe(foldText(text))
})

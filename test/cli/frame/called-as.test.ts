import { expect, test } from 'vitest'
import { asOneWord } from '../../../src/cli/frame/called-as.ts'

test.each([
  ['out/demo-audit.zip', 'out/demo-audit.zip'],
  ['out/demo-audit (2).zip', '"out/demo-audit (2).zip"'],
  ['out/a&b.zip', '"out/a&b.zip"'],
])('the path %s is one word of a shell', (path, word) => {
  expect(asOneWord(path)).toBe(word)
})

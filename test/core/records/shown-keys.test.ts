import { expect, test } from 'vitest'
import { keyHash } from '../../../src/core/records/record-key.ts'
import { ShownKeys } from '../../../src/core/records/row-index.ts'

test('among 20,000 keys, only keys that were received before count as repeats', () => {
  const shown = new ShownKeys()
  const hashes = Array.from({ length: 20_000 }, (_, at) => keyHash([`key ${at}`]))
  for (const hash of hashes) shown.note(hash)
  expect(shown.repeats).toBe(0)
  for (const hash of hashes.slice(0, 300)) shown.note(hash)
  expect(shown.repeats).toBe(300)
})

test('a repeated key is recognized even if its hash is all zeros', () => {
  const shown = new ShownKeys()
  shown.note(Buffer.alloc(16))
  shown.note(Buffer.alloc(16))
  expect(shown.repeats).toBe(1)
})

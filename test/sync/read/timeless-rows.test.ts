import { expect, it } from 'vitest'
import { recordingSessions } from '../../../src/resources/recordings.ts'
import { refuseOther, type TimelessContents } from '../../../src/sync/read/timeless-rows.ts'

type Showing = [slice: string, id: string, content: string]

function show(...shown: Showing[]): () => void {
  const contents: TimelessContents = new Map()
  return () => {
    for (const [slice, id, content] of shown)
      refuseOther(contents, recordingSessions, { key: [id], hash: Buffer.from(content), slice })
  }
}

it('a record without a time fails if two windows show it with different content', () => {
  expect(show(['june', 's1', 'a'], ['july', 's1', 'b'])).toThrow(
    /s1 has no readable time and differs from the record in june/,
  )
})

it.each<[string, Showing[]]>([
  [
    'with the same content in two windows',
    [
      ['june', 's1', 'a'],
      ['july', 's1', 'a'],
    ],
  ],
  [
    'twice by one window, with other content',
    [
      ['june', 's1', 'a'],
      ['june', 's1', 'b'],
    ],
  ],
  [
    'next to another record',
    [
      ['june', 's1', 'a'],
      ['july', 's2', 'b'],
    ],
  ],
])('a record without a time that is shown %s is accepted', (_, shown) => {
  expect(show(...shown)).not.toThrow()
})

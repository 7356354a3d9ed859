import { describe, expect, it } from 'vitest'
import { lostAmong } from '../../src/erasure/find-lost.ts'
import type { NotedErasure } from '../../src/erasure/noted-erasures.ts'
import { idOfKey } from '../../src/erasure/noted-key.ts'

const [OURS, OTHERS] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]
const noted = (request: number, tokens: string[], key = OURS): NotedErasure => ({
  v: 1,
  account: 'a',
  request,
  asked_at: '2026-06-01T00:00:00.000000Z',
  by_name: false,
  key_id: idOfKey(key),
  tokens: tokens.map((token) => [token, 'person'] as const),
})

interface Given {
  listed?: string[]
  own?: Buffer
  kept?: Buffer[]
}
function lost(erasures: NotedErasure[], { listed = [], own, kept = [] }: Given = {}) {
  const keys = new Map(kept.map((key) => [idOfKey(key), key]))
  const found = lostAmong(erasures, { listed: new Set(listed), own, keys })
  const requests = found.lost.map(({ request }) => request)
  return { requests, key: found.key, sealed: found.sealed }
}
const NOTHING = { requests: [], key: undefined, sealed: 0 }

describe('erasures missing from the database', () => {
  it('do not include erasures that the database lists', () => {
    expect(lost([], { own: OURS })).toEqual(NOTHING)
    expect(lost([noted(1, ['x', 'y'])], { own: OURS, listed: ['x', 'y', 'z'] })).toEqual(NOTHING)
  })

  it('do not include erasures whose people were all readmitted', () => {
    expect(lost([noted(1, [])], { own: OURS })).toEqual(NOTHING)
  })

  it('include erasures with a single missing digest', () => {
    const erasures = [noted(1, ['x']), noted(2, ['y', 'z'])]
    const found = lost(erasures, { own: OURS, listed: ['x', 'y'] })
    expect(found).toEqual({ ...NOTHING, requests: [2] })
  })

  it('are found with the key from the notes if the database has none', () => {
    const found = lost([noted(1, ['x'])], { kept: [OTHERS, OURS] })
    expect(found).toEqual({ requests: [1], key: OURS, sealed: 0 })
  })

  it('are reported, but not restored, if their key cannot be opened', () => {
    expect(lost([noted(1, ['x'])])).toEqual({ ...NOTHING, sealed: 1 })
    const strange = [noted(1, ['x'], OTHERS), noted(2, ['y'])]
    const found = lost(strange, { own: OURS, kept: [OTHERS] })
    expect(found).toEqual({ requests: [2], key: undefined, sealed: 1 })
  })

  it('are found with the newest key if the database has none and the notes have two', () => {
    const two = [noted(1, ['x'], OTHERS), noted(2, ['y'])]
    const found = lost(two, { kept: [OTHERS, OURS] })
    expect(found).toEqual({ requests: [2], key: OURS, sealed: 1 })
  })
})

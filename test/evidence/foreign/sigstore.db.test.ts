import { createPublicKey } from 'node:crypto'
import { type LogCheckpoint, verifyCheckpoint } from '@sigstore/verify/dist/tlog/checkpoint.js'
import { verifyMerkleInclusion } from '@sigstore/verify/dist/tlog/merkle.js'
import { beforeAll, describe, expect, it } from 'vitest'
import { type GrownLog, grownLog, SIZES } from './grown-log.ts'

type Entry = Parameters<typeof verifyCheckpoint>[0]
type Logs = Parameters<typeof verifyCheckpoint>[1]

let log: GrownLog
beforeAll(async () => {
  log = await grownLog()
})

describe('Sigstore’s verifier', () => {
  it('accepts a bundle’s checkpoint, and the proof of each of its entries', () => {
    const checkpoint = opened(textOf('checkpoint'))
    expect(checkpoint).toMatchObject({
      origin: 'callsheet/main',
      logSize: BigInt(SIZES[2]),
      rest: [],
    })
    expect(textOf('checkpoint').match(/^\u2014 \S+/gm)).toEqual([
      '— callsheet/main',
      '— w.example/1',
    ])
    // The number of entries that are not statements about ledgers.
    expect(log.entries.filter(({ line }) => !line.includes('"kind":"statement"'))).toHaveLength(827)
    for (const one of log.entries) verifyMerkleInclusion(entryOf(one), checkpoint)
  })

  it('accepts the earlier checkpoints', () => {
    expect(log.older.map(({ checkpoint }) => opened(checkpoint).logSize)).toEqual([
      BigInt(SIZES[0]),
      BigInt(SIZES[1]),
    ])
  })

  it('refuses a changed checkpoint, and an entry with a changed line, place or path', () => {
    const checkpoint = opened(textOf('checkpoint'))
    const [one = { line: '', index: 0, path: [] }] = log.entries
    expect(() => opened(textOf('checkpoint').replace(`\n${SIZES[2]}\n`, '\n828\n'))).toThrow(
      'signature',
    )
    for (const changed of [
      { ...one, line: one.line.replace('"seq"', '"sep"') },
      { ...one, index: one.index + 1 },
      { ...one, path: one.path.toReversed() },
      { ...one, path: one.path.slice(1) },
    ])
      expect(() => verifyMerkleInclusion(entryOf(changed), checkpoint)).toThrow(
        /root hash does not match|invalid hash count/,
      )
  })
})

function textOf(name: string): string {
  return log.members.get(name)?.toString() ?? ''
}

/** The checkpoint, after checking that the bundle's key signed it. */
function opened(envelope: string): LogCheckpoint {
  const [baseURL = '', id = ''] = textOf('checkpoint.vkey').split('+')
  const key = createPublicKey(textOf('key.pem'))
  const logs = [{ baseURL, logID: Buffer.from(id, 'hex'), publicKey: key }]
  const entry = { inclusionProof: { checkpoint: { envelope } } }
  return verifyCheckpoint(entry as unknown as Entry, logs as unknown as Logs)
}

function entryOf({ line, index, path }: GrownLog['entries'][number]): Entry {
  const inclusionProof = { logIndex: String(index), hashes: path }
  return { canonicalizedBody: Buffer.from(line), inclusionProof } as unknown as Entry
}

import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readBundle } from '../../../src/audit/bundle/read-bundle.ts'
import type { BundleReader } from '../../../src/audit/proof/bundle-reader.ts'
import { readSums } from '../../../src/audit/proof/bundle-sums.ts'
import { sha256Hex } from '../../../src/evidence/log/digest.ts'
import { Findings } from '../../../src/evidence/log/finding.ts'
import { newKey } from '../../helpers/evidence-stage.ts'
import { writeMembers } from '../../helpers/rewrite-zip.ts'

const KEY = newKey()

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'callsheet-sums-'))))
afterAll(() => rmSync(folder, { recursive: true }))

/** Signs the given sums of a bundle, reads them, and counts the bytes that were read. */
async function read(members: readonly (readonly [string, Buffer])[], sums: Buffer) {
  const path = join(folder, 'sums.zip')
  const signed = ['SHA256SUMS.sig', KEY.sign(sums)] as const
  await writeMembers(path, [...members, ['SHA256SUMS', sums], signed])
  const bundle = await readBundle(path)
  let taken = 0
  const counting: BundleReader = {
    ...bundle,
    async *read(name) {
      for await (const piece of bundle.read(name)) {
        taken += piece.length
        yield piece
      }
    },
  }
  const findings = new Findings()
  const platform = { signed: <T>(rules: () => T) => Promise.resolve(rules()) }
  const sumsRead = await readSums(counting, { key: KEY.publicKey, findings, platform })
  await bundle.close()
  return { ...sumsRead, findings: findings.kept, taken, zipBytes: statSync(path).size }
}

const sumOf = ([name, content]: readonly [string, Buffer]) => `${sha256Hex(content)}  ${name}\n`

describe('the sums of a bundle', () => {
  it('are not read if they are larger than the members can require', async () => {
    const member = ['README.txt', Buffer.from('a')] as const
    // Compresses 200 to one, which the reader of zip files accepts at this size.
    const line = Buffer.from(sumOf(member))
    const sums = Buffer.alloc(2 ** 24, line)
    const { digests, signed, findings, taken, zipBytes } = await read([member], sums)
    expect(zipBytes).toBeLessThan(2 ** 18)
    expect(taken).toBe(0)
    expect({ digests, signed }).toEqual({ digests: new Map(), signed: false })
    expect(findings).toContainEqual({
      code: 'sums_unreadable',
      what: 'SHA256SUMS',
      expected: expect.stringMatching(/^at most \d+ bytes, for 3 members$/) as string,
      found: `${2 ** 24} bytes`,
    })
  })

  it('are read for many members with names of the maximum length', async () => {
    const members = Array.from({ length: 600 }, (_, at) => {
      const name = `files/${sha256Hex(String(at))}${'.'.repeat(100)}`
      return [name, Buffer.from(String(at))] as const
    })
    const { digests, signed, findings } = await read(
      members,
      Buffer.from(members.map(sumOf).join('')),
    )
    expect(findings).toEqual([])
    expect({ size: digests.size, signed }).toEqual({ size: members.length, signed: true })
  })

  it('that consist of a single malformed line are reported once', async () => {
    const { findings } = await read([], Buffer.alloc(2 ** 15, 'a'))
    expect(findings.map(({ code }) => code)).toEqual(['sums_unreadable'])
  })
})

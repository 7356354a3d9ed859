import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBundleFile, unpack } from '../../../src/audit/bundle/read-bundle.ts'
import { inPlace, type Member, Zip } from '../../../src/audit/proof/zip.ts'
import { type Members, writeMembers } from '../../helpers/rewrite-zip.ts'

const BLOCK = 2 ** 20
/** Sizes around those of a read block and of a piece that is unpacked at once. */
const SIZES = [0, 1, 2 ** 16, 2 ** 16 + 1, BLOCK - 40, BLOCK, 3, 2 * BLOCK + 7, 500, 3 * BLOCK, 9]

let folder: string
let path: string
const members: Members = new Map()
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-zip-'))
  path = join(folder, 'some.zip')
  // Half of the members compress well, so that some are stored larger than a block and some smaller.
  for (const [n, size] of SIZES.entries())
    for (const kind of ['packs', 'random'])
      members.set(`${kind}/${n}`, kind === 'packs' ? counted(size) : scrambled(size, n))
  await writeMembers(path, members)
})
afterAll(() => rmSync(folder, { recursive: true }))

function counted(size: number): Buffer {
  const text = Array.from({ length: Math.ceil(size / 8) }, (_, n) => String(n).padStart(8)).join('')
  return Buffer.from(text.slice(0, size))
}

/** Bytes that do not compress; the same in each run of the test. */
function scrambled(size: number, seed: number): Buffer {
  const bytes = Buffer.alloc(size)
  let state = seed + 1
  for (let at = 0; at < size; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[at] = state >>> 24
  }
  return bytes
}

type Named = readonly [string, Member]

async function membersIn(zip: Zip): Promise<Named[]> {
  const found: Named[] = []
  for await (const { name, ...place } of zip.entries()) found.push([name, { ...place, end: 0 }])
  const all = found.map(([, member]) => member)
  inPlace(all, zip.end)
  return found
}

async function withZip<T>(work: (zip: Zip, found: Named[]) => Promise<T>): Promise<T> {
  const file = openBundleFile(path)
  const zip = await Zip.open(file, unpack)
  try {
    return await work(zip, await membersIn(zip))
  } finally {
    await zip.settle()
    await file.close()
  }
}

async function bytesOf(zip: Zip, [name, member]: Named): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of zip.read(name, member)) pieces.push(Buffer.from(piece))
  return Buffer.concat(pieces)
}

describe('a zip file', () => {
  it.each([
    ['in order', (found: Named[]) => found],
    ['backwards', (found: Named[]) => found.toReversed()],
    ['from both ends', (found: Named[]) => found.flatMap((one, n) => [one, found.at(-n)])],
  ])('returns each member unchanged, read %s', async (_how, order) => {
    const wrong = await withZip(async (zip, found) => {
      expect(found.map(([name]) => name)).toEqual([...members.keys()])
      const bad: string[] = []
      for (const one of order(found)) {
        const bytes = one && (await bytesOf(zip, one))
        if (one && bytes?.equals(members.get(one[0]) ?? Buffer.alloc(1)) !== true) bad.push(one[0])
      }
      return bad
    })
    expect(wrong).toEqual([])
  })

  it('returns each member unchanged, all read at once', async () => {
    const read = await withZip((zip, found) => Promise.all(found.map((one) => bytesOf(zip, one))))
    const same = read.map((bytes, n) => bytes.equals([...members.values()][n] ?? Buffer.alloc(1)))
    expect(same).toEqual(read.map(() => true))
  })

  it('fails if it is truncated during the read', async () => {
    const whole = readFileSync(path)
    try {
      await withZip(async (zip, found) => {
        const last = found.at(-1) as Named
        truncateSync(path, last[1].at - 1)
        await expect(bytesOf(zip, last)).rejects.toThrow('the file is incomplete')
      })
    } finally {
      writeFileSync(path, whole)
    }
  })
})

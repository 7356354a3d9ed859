import { hash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import * as source from '../../src/audit/page/verify-page.ts'
import { bundlePrograms } from '../helpers/programs.ts'

it('is in the package as it is in the source', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'callsheet-verify-script-'))
  const { page } = await bundlePrograms(directory, { page: 'src/audit/page/verify-page.ts' })
  const packaged = (await import(pathToFileURL(page).href)) as typeof source
  expect(packaged.verifyPage()).toBe(source.verifyPage())
  await rm(directory, { recursive: true })
})

it('sums bytes in any pieces as the standard does', async () => {
  const script = await readFile(
    new URL('../../src/audit/page/browser/sha256.js', import.meta.url),
    'utf8',
  )
  const sumOf = runInNewContext(
    `${script};(pieces) => pieces.reduce((sum, piece) => sum.update(piece), new Sha256()).digest()`,
    { Uint8Array, TextEncoder },
  ) as (pieces: readonly Uint8Array[]) => string
  const bytes = Uint8Array.from({ length: 1_000 }, (_none, at) => (at * 7919) % 251)
  for (let length = 0; length < 300; length++) {
    const whole = bytes.subarray(0, length)
    const cut = (length * 13) % (length + 1)
    const expected = hash('sha256', whole, 'hex')
    expect(sumOf([whole])).toBe(expected)
    expect(sumOf([whole.subarray(0, cut), whole.subarray(cut)])).toBe(expected)
  }
  expect(sumOf([bytes, bytes, bytes])).toBe(
    hash('sha256', Buffer.concat([bytes, bytes, bytes]), 'hex'),
  )
})

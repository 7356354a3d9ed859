import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readBundle } from '../../../src/audit/bundle/read-bundle.ts'
import { FORGED_ZIPS, WHOLE_ZIPS } from '../../evidence/forged-zips.ts'

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'callsheet-forged-'))))
afterAll(() => rmSync(folder, { recursive: true }))

/** Reads each member to its end and returns the content of the workbook. */
async function readAll(zip: Buffer): Promise<string> {
  const path = join(folder, 'some.zip')
  writeFileSync(path, zip)
  const bundle = await readBundle(path)
  try {
    let workbook = ''
    for (const name of bundle.names())
      for await (const piece of bundle.read(name))
        if (name === 'audit.xlsx') workbook += Buffer.from(piece).toString()
    return workbook
  } finally {
    await bundle.close()
  }
}

describe('a zip file that different programs may read differently', () => {
  it.each(FORGED_ZIPS)('is refused: %s', async (_what, make, message) => {
    await expect(readAll(make())).rejects.toThrow(message)
  })
})

describe('a zip file that every program reads the same', () => {
  it.each(WHOLE_ZIPS)('is read: %s', async (_what, make) => {
    expect(await readAll(make())).toBe('the true workbook')
  })
})

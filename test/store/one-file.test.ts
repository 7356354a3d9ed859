import { rmSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { concernsOneFile } from '../../src/store/one-file.ts'
import type { FileStore } from '../../src/store/store.ts'
import { noRegularFile, storeFault } from '../../src/store/store-fault.ts'
import { useDirectoryStore } from '../helpers/directory-store.ts'

let place: string
let store: FileStore
useDirectoryStore((opened) => ({ place, store } = opened))

const failedWrite = (code: string) =>
  storeFault(Object.assign(new Error('x'), { code }), { tried: 'Storing a file', place })

it.each(['EROFS', 'EACCES', 'EIO'])(
  'a write that fails with %s concerns all files if the store takes no other file',
  async (code) => {
    rmSync(place, { recursive: true })
    writeFileSync(place, 'a file in place of the folder')
    expect(await concernsOneFile(failedWrite(code), store)).toBe(false)
  },
)

it('a write that failed at a folder in place of the file concerns this file alone', async () => {
  const fault = noRegularFile({ tried: 'Storing a file', place })
  expect(await concernsOneFile(fault, store)).toBe(true)
})

it('a write that failed with a disk error concerns one file if the store takes another', async () => {
  expect(await concernsOneFile(failedWrite('EIO'), store)).toBe(true)
})

it('a full store concerns all files, although a small file may still fit', async () => {
  expect(await concernsOneFile(failedWrite('ENOSPC'), store)).toBe(false)
})

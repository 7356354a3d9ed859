import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { flushFolder } from '../../src/store/dirty-folders.ts'

const platform = Object.getOwnPropertyDescriptor(process, 'platform') ?? {}
const on = (value: string) => Object.defineProperty(process, 'platform', { ...platform, value })

let folder: string
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'callsheet-flush-'))))
afterEach(() => {
  Object.defineProperty(process, 'platform', platform)
  rmSync(folder, { recursive: true })
})

describe('flushing a folder', () => {
  it('succeeds if the folder exists, and otherwise reports the error', async () => {
    on('linux')
    await flushFolder(folder)
    await expect(flushFolder(join(folder, 'none'))).rejects.toThrow(/ENOENT/)
  })

  it('does nothing on Windows, where folders cannot be opened', async () => {
    on('win32')
    await expect(flushFolder(join(folder, 'none'))).resolves.toBeUndefined()
  })
})

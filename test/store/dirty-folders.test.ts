import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createDirtyFolders } from '../../src/store/dirty-folders.ts'

it.runIf(process.platform === 'linux')(
  'parallel flushes share one handle per folder, which is closed at the end',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'callsheet-dirty-'))
    const folders = createDirtyFolders()
    const flushes = [1, 2, 3].map(() => {
      folders.mark(folder)
      return folders.flush()
    })
    await Promise.all(flushes)
    expect(handlesOf(folder)).toBe(1)
    await folders.close()
    expect(handlesOf(folder)).toBe(0)
    rmSync(folder, { recursive: true })
  },
)

function handlesOf(folder: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === folder
    } catch {
      // This is the handle of the listing itself, which is closed by now.
      return false
    }
  }).length
}

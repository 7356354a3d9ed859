import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { createDirectoryStore } from '../../src/store/directory-store.ts'
import type { FileStore } from '../../src/store/store.ts'

export interface OpenStore {
  /** Removed after the test, with everything in it. */
  root: string
  place: string
  store: FileStore
}

/** Opens a store in a new folder for each test of a file. */
export function useDirectoryStore(take: (opened: OpenStore) => void): void {
  let opened: OpenStore
  beforeEach(async () => {
    const root = mkdtempSync(join(tmpdir(), 'callsheet-store-'))
    const place = join(root, 'archive', 'main')
    opened = { root, place, store: createDirectoryStore(place) }
    await opened.store.open()
    take(opened)
  })
  afterEach(async () => {
    await opened.store.close()
    rmSync(opened.root, { recursive: true, force: true })
  })
}

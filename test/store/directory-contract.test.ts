import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createDirectoryStore } from '../../src/store/directory-store.ts'
import { itKeepsFiles } from './store-contract.ts'

itKeepsFiles('of a directory', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'callsheet-store-'))
  return {
    store: (account) => createDirectoryStore(join(folder, account)),
    damage: (account, sha256, content) =>
      writeFileSync(join(folder, account, 'files', sha256.slice(0, 1), sha256), content),
    close: async () => rmSync(folder, { recursive: true }),
  }
})

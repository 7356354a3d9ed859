import { mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createDirectoryStore } from '../../src/store/directory-store.ts'
import { useDirectoryStore } from '../helpers/directory-store.ts'

let root: string
useDirectoryStore((opened) => ({ root } = opened))

describe('a symbolic link', () => {
  it('is refused in place of the store, and accepted in place of its parent folder', async () => {
    const elsewhere = join(root, 'elsewhere-whole')
    mkdirSync(elsewhere)
    symlinkSync(elsewhere, join(root, 'main'))
    const linked = createDirectoryStore(join(root, 'main'))
    for (const work of [linked.open(), linked.examine()])
      await expect(work).rejects.toMatchObject({
        code: 'store_linked',
        facts: {
          came: 'the path is a link',
          todo: expect.stringContaining('archive.directory') as string,
        },
      })
    expect(readdirSync(elsewhere)).toEqual([])
    const inside = createDirectoryStore(join(root, 'main', 'account'))
    await inside.open()
    await inside.examine()
    expect(readdirSync(elsewhere)).toEqual(['account'])
    for (const one of [linked, inside]) await one.close()
  })
})

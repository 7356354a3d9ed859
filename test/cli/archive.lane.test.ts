import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storedFiles } from '../helpers/archive-files.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

let bench: Workbench
beforeAll(async () => {
  bench = await openWorkbench()
  bench.configure({ top: ['archive: {files: true}'] })
})
afterAll(() => bench.close())

describe('callsheet archive', () => {
  it('fetches the files that a sync could not fetch, and reports the result', async () => {
    const blocked = join(bench.folder, 'archive')
    writeFileSync(blocked, 'in the way')
    const sync = await bench.run('sync', 'whiteboard-archives', '--json')
    expect(sync.code).toBe(4)
    expect(sync.stderr).toContain('find out who created that object')
    const [first] = (JSON.parse(sync.stdout) as { accounts: { runs: { files: object }[] }[] })
      .accounts
    expect(first?.runs[0]?.files).toMatchObject({ stored: 0 })
    rmSync(blocked)

    const archive = await bench.run('archive', '--json')
    expect(archive.code).toBe(0)
    expect(archive.stderr).toMatch(/^activity files: (\d+) of \1 files, /m)
    const said = JSON.parse(archive.stdout) as {
      accounts: { state: string; files: { stored: number } }[]
    }
    expect(said.accounts[0]).toMatchObject({ state: 'complete', files: { pending: 0 } })
    const { names, wrong, left } = storedFiles(join(blocked, 'main'))
    expect(names.length).toBeGreaterThan(10)
    expect({ wrong, left }).toEqual({ wrong: [], left: [] })
    expect(said.accounts[0]?.files.stored).toBeGreaterThanOrEqual(names.length)
    const again = await bench.run('archive')
    expect(again.code).toBe(0)
    expect(again.stdout).toMatch(/Account main, run \d+: 0 stored/)
  })

  it('refuses an account that the configuration does not have', async () => {
    expect((await bench.run('archive', '--account', 'mein')).code).toBe(2)
  })
})

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { ANNA, NOTHING, namesOf, naming, pathsOf, useRoster } from './roster.ts'

const stage = useRoster()

describe('a report file that needs a decision stays, and is reported until somebody confirms it:', () => {
  const settle = async (account: string): Promise<void> => {
    expect(await stage.erase(account, { settled: true })).toMatchObject({ undecided: [] })
    expect(await stage.erase(account)).toEqual(NOTHING)
  }

  it.each(['xlsx', 'html', 'csv', 'parquet'] as const)('an edited file of %s', async (format) => {
    const account = `edited-${format}`
    await stage.seed(account)
    const paths = pathsOf(await stage.publish(account, {}, [format]))
    const edited = paths.at(-1) ?? ''
    const bytes = Buffer.concat([await readFile(edited), Buffer.from(' ')])
    await writeFile(edited, bytes)
    const undecided = [{ file: edited, why: 'it was changed since it was published' }]
    for (let tries = 0; tries < 2; tries++)
      expect(await stage.erase(account)).toMatchObject({ undecided })
    await settle(account)
    expect(await readFile(edited)).toEqual(bytes)
  })

  it('a file that was moved', async () => {
    await stage.seed('moved')
    const [path = ''] = pathsOf(await stage.publish('moved', {}, ['html']))
    await rename(path, join(stage.directory, 'mine.html'))
    const undecided = [{ file: path, why: 'it was moved or removed since it was published' }]
    expect(await stage.erase('moved')).toMatchObject({ files: 0, anew: 0, undecided })
    expect(await stage.erase('moved')).toMatchObject({ undecided })
    await settle('moved')
    expect(await namesOf(stage, 'mine')).toEqual(['mine.html'])
  })

  it('a file that was delivered', async () => {
    await stage.seed('sent')
    const { files } = await stage.publish('sent', {}, ['html'])
    const detail = JSON.stringify({ made: { files }, delivered: ['webhook', 'mail'] })
    await sql`insert into callsheet.task_runs (account, task, due_at, state, started_at, detail)
      values ('sent', 'roster', '2026-11-20', 'complete', '2026-11-20', ${detail}::jsonb)`.execute(
      stage.warehouse.db,
    )
    const undecided = [{ file: files[0]?.path, why: 'it was sent (mail, webhook)' }]
    expect(await stage.erase('sent')).toMatchObject({ files: 1, anew: 1, undecided })
    expect(await stage.erase('sent')).toMatchObject({ files: 0, anew: 0, undecided })
    await settle('sent')
    expect(await naming(stage, 'sent')).toEqual([])
  })

  it('a file of a report that cannot be made again', async () => {
    await stage.seed('unmade')
    const [path = ''] = pathsOf(await stage.publish('unmade', {}, ['html']))
    await sql`update callsheet.published_reports set report = 'long-gone'
      where account = 'unmade'`.execute(stage.warehouse.db)
    const undecided = [{ file: path, why: expect.stringContaining('not made anew') }]
    expect(await stage.erase('unmade')).toMatchObject({ files: 1, anew: 0, undecided })
    expect(await stage.erase('unmade')).toMatchObject({ files: 0, anew: 0, undecided })
    await settle('unmade')
  })

  it('a file named like a report but never published', async () => {
    await stage.seed('left')
    const put = async (name: string) => {
      await mkdir(dirname(join(stage.directory, name)), { recursive: true })
      await writeFile(join(stage.directory, name), ANNA.id)
    }
    await put('.left-roster-2026-11.publishing-a1B2c3/left-roster-2026-11.csv')
    await put('.left-other-2026-10.publishing-d4E5f6/left-other-2026-10.csv')
    const bundle = 'left-audit-2026-10-01-2026-10-31'
    await put(`.${bundle}.publishing-g7H8i9/${bundle}.zip`)
    await put('left-roster-2026-08 (1).csv')
    await put('my-left.csv')
    const file = join(stage.directory, 'left-roster-2026-08 (1).csv')
    const seen = await stage.erase('left', { dryRun: true })
    const erased = await stage.erase('left')
    expect(erased).toMatchObject({ files: 2, undecided: [{ file }] })
    expect(seen).toEqual(erased)
    expect([
      ...(await namesOf(stage, '.left')),
      ...(await namesOf(stage, 'left')),
      ...(await namesOf(stage, 'my')),
    ]).toEqual([
      '.left-other-2026-10.publishing-d4E5f6/left-other-2026-10.csv',
      basename(file),
      'my-left.csv',
    ])
    expect(await stage.erase('left', { settled: true })).toMatchObject({
      undecided: [],
      settled: [{ file }],
    })
  })
})

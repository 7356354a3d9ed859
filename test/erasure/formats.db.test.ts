import { readFile, stat } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { REPORT_FORMATS } from '../../src/core/define/report-format.ts'
import { ANNA, useRoster } from './roster.ts'

const stage = useRoster()

/** More than a page shows without its script, in the order of their IDs: Anna's comes last. */
const CROWD = Array.from({ length: 150 }, (_none, at) => ({
  id: `usr-aaaa-${String(at).padStart(4, '0')}`,
  email: `person${at}@example.com`,
  name: `Person ${at}`,
}))

describe.each(REPORT_FORMATS)('an erasure of a report that was made as %s alone', (format) => {
  it('removes the files of the person who is named in them, and no others', async () => {
    await stage.seed(`with-${format}`, [...CROWD, ANNA])
    await stage.seed(`without-${format}`, CROWD)
    const made = await stage.publish(`with-${format}`, {}, [format])
    const others = await stage.publish(`without-${format}`, {}, [format])
    const paths = made.files.map(({ path }) => path)
    expect(paths.length).toBeGreaterThan(0)
    expect(await stage.erase(`without-${format}`)).toMatchObject({ reports: 0, files: 0 })
    expect(await stage.erase(`with-${format}`)).toMatchObject({ reports: 1, paths })
    for (const path of paths) await expect(stat(path)).rejects.toThrow('ENOENT')
    for (const { path, bytes } of others.files) expect((await stat(path)).size).toBe(bytes)
    expect(await stage.erase(`with-${format}`)).toMatchObject({ reports: 0, files: 0 })
  })
})

it('finds a person who stands only among the rows that the script of a page shows', async () => {
  await stage.seed('behind', [...CROWD, ANNA])
  const made = await stage.publish('behind', {}, ['html'])
  const path = made.files[0]?.path ?? ''
  const page = await readFile(path, 'utf8')
  const shown = page.replaceAll(/<script[^>]*>.*?<\/script>/gs, '')
  expect([page.includes(ANNA.id), shown.includes(ANNA.id)]).toEqual([true, false])
  expect(shown).toContain('usr-aaaa-0099')
  expect(await stage.erase('behind', { needles: ['usr-anna-0002'] })).toMatchObject({ files: 0 })
  expect(await stage.erase('behind', { needles: [ANNA.name] })).toMatchObject({ paths: [path] })
})

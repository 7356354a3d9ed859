import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { NOBODY } from '../../src/core/erasure/suppression.ts'
import { FingerprintTable } from '../../src/core/records/fingerprint-table.ts'
import type { Batch } from '../../src/core/records/row-batch.ts'
import { ShownKeys } from '../../src/core/records/shown-keys.ts'
import { planStream } from '../../src/engine/plan/plan-stream.ts'
import { newReading } from '../../src/engine/run/slice-reading.ts'
import { applyPage } from '../../src/engine/sync/apply-page.ts'
import { storageLocations } from '../../src/resources/storage-locations.ts'
import { recognised } from '../engine/recognised.ts'

const read = (path: string): string =>
  readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

const page = read('docs/add-a-resource.md')
const chapters = page.split(/^## /m).slice(1)
const fileOf = (chapter: string): string => /^\d\. .*: `(.+)`\n/.exec(chapter)?.[1] ?? ''
const files = chapters.map(fileOf)
/** By its variable or its name, which an operation's ID only begins with; its migration, and its truth. */
const NAMES =
  /\bstorageLocations\b|\bstorage_locations\b(?!\.)|storageLocationTables|STORAGE_TRUTHS/

describe('the page quotes', () => {
  for (const chapter of chapters) {
    const file = fileOf(chapter)
    const blocks = [...chapter.matchAll(/```ts\n(.*?)```/gs)].map(([, block = '']) => block)

    it(`${file} as it is`, () => {
      const lines = unindented(read(file))
      expect(blocks.length).toBeGreaterThan(0)
      for (const block of blocks) expect(lines).toContain(unindented(block))
    })
  }

  it('every file of the program that names the stream', () => {
    const cwd = new URL('../../', import.meta.url).pathname
    const sources = globSync('{src,jobs,migrations,reports}/**/*.ts', { cwd })
    expect(sources.length).toBeGreaterThan(300)
    const naming = sources.filter((path) => NAMES.test(read(path)))
    const lists = ['src/resources/all.ts', 'src/sandbox/server/truth.ts']
    expect(naming.toSorted()).toEqual([...files, ...lists].toSorted())
    for (const list of lists) expect(page).toContain(`\`${list}\``)
  })
})

test('the example plans one slice and turns a page into rows without a line of code of its own', () => {
  const facts = { nowMs: 0, chainRunId: 1, histories: new Map(), full: false }
  const [group] = planStream(storageLocations, facts)
  expect(group?.slices.map(({ request }) => request.slice)).toEqual(['all'])
  const s3 = { bucket: 'vault', region: 'eu-west-2', access_key: { id: 'AK', key: 'hush' } }
  const records = [{ id: 'loc-1', name: 'Vault', provider: 'objstore_s3', s3 }, { name: 'None' }]
  const batch: Batch = { fresh: [], known: [], quarantined: [], findings: [], shares: [] }
  const reading = newReading(group!.slices[0]!)
  const table = new FingerprintTable()
  const against = { stream: storageLocations, table, beside: [], slice: reading.slice }
  const recognisedPage = recognised(against, JSON.stringify(records))
  const shown = new ShownKeys()
  const pageContext = {
    stream: storageLocations,
    nestedStreams: [],
    table,
    batch,
    reading,
    shown,
    sequence: 1,
  }
  applyPage({ ...pageContext, suppression: NOBODY }, recognisedPage)
  expect(batch.fresh.map(({ values }) => values)).toEqual([
    ['loc-1', 'Vault', 'objstore_s3', null, 'vault', 'eu-west-2', null],
  ])
  expect(batch.fresh[0]?.raw).not.toContain('hush')
  expect(batch.quarantined.map(({ reason }) => reason)).toEqual(['key field id is missing'])
})

/** Lines as they read, wherever they stand. */
function unindented(text: string): string {
  return text
    .trim()
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
}

import { cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Found } from './tamper.ts'

/** A name, the tamper with the folder of a table that has two snapshots, and all expected findings. */
export type LakeTamper = readonly [string, (table: string) => Promise<unknown>, Found]

const DATA = /data\/.*\.parquet$/
const MANIFEST = /metadata\/manifest-.*\.avro$/
const LIST = /metadata\/snap-.*\.avro$/
const HINT = 'metadata/version-hint.text'
const version = (number: number): string => `metadata/v${number}.metadata.json`
const V1 = /\/v1\.metadata\.json$/
const V2 = /\/v2\.metadata\.json$/

/** Tampers by somebody who can write the lake, but neither the database nor the store. */
export const LAKE: readonly LakeTamper[] = [
  ['a data file changed', change(DATA), [['lake_altered', DATA]]],
  ['a data file removed', remove(DATA), [['lake_missing', DATA]]],
  [
    'two data files swapped',
    async (table) => {
      const [one = '', other = ''] = await named(table, DATA)
      await swap(one, other)
    },
    [
      ['lake_altered', DATA],
      ['lake_altered', DATA],
    ],
  ],
  ['a manifest changed', change(MANIFEST), [['lake_altered', MANIFEST]]],
  ['a manifest removed', remove(MANIFEST), [['lake_missing', MANIFEST]]],
  ['a list of manifests changed', change(LIST), [['lake_altered', LIST]]],
  ['a list of manifests removed', remove(LIST), [['lake_missing', LIST]]],
  ['the metadata changed', change(V2), [['lake_altered', V2]]],
  ['the metadata removed', remove(V2), [['lake_missing', V2]]],
  ['the metadata of an earlier snapshot changed', change(V1), [['lake_altered', V1]]],
  [
    'the metadata of two snapshots swapped',
    (table) => swap(join(table, version(1)), join(table, version(2))),
    [
      ['lake_altered', V1],
      ['lake_altered', V2],
    ],
  ],
  [
    'an earlier snapshot put in the place of the newest',
    (table) => cp(join(table, version(1)), join(table, version(2))),
    [['lake_altered', V2]],
  ],
  [
    'readers sent to an earlier snapshot',
    (table) => writeFile(join(table, HINT), '1'),
    [['lake_not_newest', /version-hint\.text$/]],
  ],
  [
    'the number of the newest snapshot removed',
    (table) => rm(join(table, HINT)),
    [['lake_not_newest', /version-hint\.text$/]],
  ],
  [
    'a snapshot added',
    async (table) => {
      await cp(join(table, version(2)), join(table, version(3)))
      await writeFile(join(table, HINT), '3')
    },
    [
      ['lake_foreign', /v3\.metadata\.json$/],
      ['lake_not_newest', /version-hint\.text$/],
    ],
  ],
  [
    'the table removed',
    (table) => rm(table, { recursive: true }),
    [
      ['lake_missing', LIST],
      ['lake_missing', LIST],
      ['lake_missing', V1],
      ['lake_missing', V2],
      ['lake_not_newest', /version-hint\.text$/],
    ],
  ],
]

function change(end: RegExp) {
  return async (table: string): Promise<void> => {
    const [path = ''] = await named(table, end)
    await writeFile(path, Buffer.concat([await readFile(path), Buffer.from('1')]))
  }
}

function remove(end: RegExp) {
  return async (table: string): Promise<void> => await rm((await named(table, end))[0] ?? '')
}

async function named(table: string, end: RegExp): Promise<string[]> {
  const paths = (await readdir(table, { recursive: true })).map((path) => join(table, path))
  return paths.filter((path) => end.test(path)).toSorted()
}

async function swap(one: string, other: string): Promise<void> {
  await rename(one, `${one}-`)
  await rename(other, one)
  await rename(`${one}-`, other)
}

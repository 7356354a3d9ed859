import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { sql } from 'kysely'
import { isStaging } from '../../../src/report/publish-files.ts'
import type { Warehouse } from '../../../src/warehouse/connect.ts'

/**
 * Name and hash of each file of a directory; a directory in it only by its name. What a kill left in a
 * staging folder lies there for a day.
 */
export type Files = ReadonlyMap<string, string>

export function filesIn(directory: string): Files {
  if (!existsSync(directory)) return new Map()
  return new Map(
    readdirSync(directory).flatMap((name) => {
      const path = join(directory, name)
      if (!statSync(path).isDirectory()) return [[name, sha256(readFileSync(path))]]
      return isStaging(name) ? [] : [[name, 'a directory']]
    }),
  )
}

/** After a kill each file that has its name is whole. */
export function brokenFiles(whole: Files, found: Files): string[] {
  return [...found]
    .filter(([name, hash]) => whole.get(name) !== hash)
    .map(([name]) => `${name} is there and not whole`)
}

/** I12: what the database says was published lies there with that very content. */
export async function unkeptRecords(warehouse: Warehouse, found: Files): Promise<string[]> {
  const { rows } = await sql<{ report: string; files: { path: string; sha256: string }[] }>`
    select report, files from callsheet.published_reports`.execute(warehouse.db)
  return rows.flatMap(({ report, files }) =>
    files
      .filter(({ path, sha256: noted }) => found.get(basename(path)) !== noted)
      .map(({ path }) => `${report}: ${basename(path)} is recorded and not there`),
  )
}

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex')

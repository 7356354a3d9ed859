import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Sandbox } from '../../sandbox/server/server.ts'
import type { FileKind } from '../../src/core/define/file-source.ts'
import type { Warehouse } from '../../src/warehouse/connect.ts'

export interface FileRow {
  parent: string
  item: string
  state: string
  reason: string | null
  sha256: string | null
  size: number | null
  tries: number
}

export async function fileRows(
  warehouse: Warehouse,
  { kind = 'activity', account = 'account-0' }: { kind?: FileKind; account?: string } = {},
): Promise<FileRow[]> {
  const { rows } = await sql<FileRow>`
    select parent, item, state, reason, encode(sha256, 'hex') as sha256, size, tries
    from callsheet.files where account = ${account} and kind = ${kind}
    order by parent, item`.execute(warehouse.db)
  return rows
}

export async function incidentsOf(
  warehouse: Warehouse,
): Promise<{ kind: string; detail: string }[]> {
  const { rows } = await sql<{ kind: string; detail: string }>`
    select kind, detail from callsheet.incidents order by id`.execute(warehouse.db)
  return rows
}

/** The names in an account's store, those whose content does not match, and leftover drafts. */
export function storedFiles(directory: string): {
  names: string[]
  wrong: string[]
  left: string[]
} {
  const files = join(directory, 'files')
  const names: string[] = []
  const wrong: string[] = []
  for (const folder of existsSync(files) ? readdirSync(files) : [])
    for (const name of readdirSync(join(files, folder))) {
      names.push(name)
      const hash = createHash('sha256').update(readFileSync(join(files, folder, name)))
      if (hash.digest('hex') !== name) wrong.push(name)
    }
  const incoming = join(directory, 'incoming')
  return { names: names.toSorted(), wrong, left: existsSync(incoming) ? readdirSync(incoming) : [] }
}

/** Compares the service's files with the ledger; returns the number compared and the differences. */
export async function untrueFiles(
  warehouse: Warehouse,
  sandbox: Pick<Sandbox, 'files'>,
  kind: FileKind = 'activity',
): Promise<{ looked: number; untrue: string[] }> {
  const rows = new Map(
    (await fileRows(warehouse, { kind })).map((row) => [`${row.parent} ${row.item}`, row]),
  )
  const untrue: string[] = []
  let looked = 0
  for (const { parent, item, sha256, size } of sandbox.files(kind)) {
    const row = rows.get(`${parent} ${item}`)
    if (row === undefined) continue
    looked++
    const due = sha256 === undefined ? 'missing' : `stored ${sha256} ${size}`
    const came = row.state === 'stored' ? `stored ${row.sha256} ${row.size}` : row.state
    if (came !== due) untrue.push(`${parent} ${item}: ${came} (${row.reason}), due ${due}`)
  }
  return { looked, untrue }
}

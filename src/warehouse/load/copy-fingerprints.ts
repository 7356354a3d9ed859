import type { Compilable, CompiledQuery } from 'kysely'
import type { Transaction, Warehouse } from '../connection/connect.ts'
import { CopyOut } from '../connection/copy-out.ts'

/** 16 bytes of a key's hash and 16 of a content's, at this place of these bytes, which live no longer. */
export type TakePair = (bytes: Uint8Array, at: number) => void

/**
 * The fingerprints that a query answers as one column of 32 bytes, in whatever order the tables have them:
 * one pass, where chunks along the key would read and sort all rows once for each.
 */
export async function copyFingerprints(
  warehouse: Warehouse,
  query: Compilable<{ fingerprint: Buffer }>,
  take: TakePair,
): Promise<void> {
  await warehouse.transaction(
    async (tx, client) => {
      const rows = await withSettings(tx, query.compile())
      const copy = new CopyOut(`copy (${rows}) to stdout (format binary)`, PAIR_BYTES, take)
      await client.query(copy).ended
    },
    { snapshot: true },
  )
}

/**
 * COPY takes no parameters, so its values, all of them texts, come as settings of the transaction; the
 * planner looks at them as it would at parameters.
 */
async function withSettings(
  tx: Transaction,
  { sql: text, parameters }: CompiledQuery,
): Promise<string> {
  await tx
    .selectNoFrom(({ fn, lit, val }) =>
      parameters.map((value, at) => {
        const name = nameOf(at + 1)
        return fn('set_config', [val(name), val(value), lit(true)]).as(name)
      }),
    )
    .execute()
  // No text of ours has a dollar sign before a digit but for a parameter.
  return text.replaceAll(/\$(\d+)/g, (_, at: string) => `current_setting('${nameOf(at)}')`)
}

const nameOf = (at: number | string): string => `callsheet.p${at}`

export const PAIR_BYTES = 32

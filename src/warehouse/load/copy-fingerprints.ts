import type { Compilable, CompiledQuery } from 'kysely'
import type { Transaction, Warehouse } from '../connect.ts'
import { CopyOut } from '../copy-out.ts'

/** Receives 16 bytes of a key's hash and 16 of a content's, at `at`; they are valid only during the call. */
export type TakePair = (bytes: Uint8Array, at: number) => void

/**
 * Reads the fingerprints that a query returns as one column of 32 bytes, in any order. It uses one pass:
 * reading by key in chunks would read and sort all rows once per chunk.
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
    { snapshot: true, once: true },
  )
}

/**
 * The query's text for COPY, which accepts no parameters. The values, all of them text, become settings of
 * the transaction. The planner treats them like parameters.
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
  // In our queries a dollar sign before a digit is always a parameter.
  return text.replaceAll(/\$(\d+)/g, (_, at: string) => `current_setting('${nameOf(at)}')`)
}

const nameOf = (at: number | string): string => `callsheet.p${at}`

export const PAIR_BYTES = 32

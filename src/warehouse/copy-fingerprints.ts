import { type CompiledQuery, type RawBuilder, sql } from 'kysely'
import { to as copyTo } from 'pg-copy-streams'
import type { Transaction, Warehouse } from './connect.ts'

/**
 * The fingerprints that a query answers as one column of 32 bytes, in whatever order the tables have them:
 * one pass, where chunks along the key would read and sort all rows once for each.
 */
export async function copyFingerprints(
  warehouse: Warehouse,
  query: RawBuilder<unknown>,
  take: (key: Buffer, hash: Buffer) => void,
): Promise<void> {
  await warehouse.transaction(
    async (tx, client) => {
      const rows = await withSettings(tx, query.compile(tx))
      const source = client.query(copyTo(`copy (${rows}) to stdout (format binary)`))
      let rest: Buffer = Buffer.alloc(0)
      let begun = false
      for await (const piece of source as AsyncIterable<Buffer>) {
        const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece])
        let at = begun ? 0 : HEADER_BYTES
        if (bytes.length < at) {
          rest = bytes
          continue
        }
        begun = true
        at = takeRows(bytes, at, take)
        rest = bytes.subarray(at)
      }
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
  const settings = parameters.map((value, at) => sql`set_config(${nameOf(at + 1)}, ${value}, true)`)
  await sql`select ${sql.join(settings)}`.execute(tx)
  // No text of ours has a dollar sign before a digit but for a parameter.
  return text.replaceAll(/\$(\d+)/g, (_, at: string) => `current_setting('${nameOf(at)}')`)
}

const nameOf = (at: number | string): string => `callsheet.p${at}`

/** Takes the whole rows and answers where the rest begins. The end is marked by a row of -1 fields. */
function takeRows(bytes: Buffer, from: number, take: (key: Buffer, hash: Buffer) => void): number {
  let at = from
  while (at + ROW_HEAD_BYTES <= bytes.length) {
    const value = at + ROW_HEAD_BYTES
    const end = value + bytes.readInt32BE(at + 2)
    if (end > bytes.length) break
    take(bytes.subarray(value, value + 16), bytes.subarray(value + 16, value + 32))
    at = end
  }
  return at
}

/** The signature, the flags, and an extension of no length. */
const HEADER_BYTES = 19
/** The number of fields and the length of the one. */
const ROW_HEAD_BYTES = 6

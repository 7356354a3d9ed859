import { sql } from 'kysely'
import { to as copyTo } from 'pg-copy-streams'
import { KEY_SEPARATOR } from '../core/record-key.ts'
import type { Stream } from '../core/stream.ts'
import type { Warehouse } from './connect.ts'
import { current } from './table-sql.ts'

/**
 * The fingerprints of all present rows of an account, in whatever order the table has them: one pass, where
 * chunks along the key would sort the whole table once for each. A row comes as one value of 32 bytes.
 */
export async function copyFingerprints(
  warehouse: Warehouse,
  { account, stream }: { account: string; stream: Stream },
  take: (key: Buffer, hash: Buffer) => void,
): Promise<void> {
  const parts = stream.key.map((name) => sql`${sql.id(name)}::text`)
  const key = sql.join(parts, sql` || current_setting('callsheet.separator') || `)
  const rows = sql`copy (select substr(sha256(convert_to(${key}, 'UTF8')), 1, 16) || _hash
    from ${current(stream)}
    where account = current_setting('callsheet.account') and _deleted_at is null)
    to stdout (format binary)`
  await warehouse.transaction(
    async (tx, client) => {
      // COPY takes no parameters, so its values come as settings of the transaction.
      await sql`select set_config('callsheet.account', ${account}, true),
        set_config('callsheet.separator', ${KEY_SEPARATOR}, true)`.execute(tx)
      const source = client.query(copyTo(rows.compile(tx).sql))
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

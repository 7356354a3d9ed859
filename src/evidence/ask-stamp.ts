import { CallsheetError } from '../core/errors.ts'
import { point } from '../core/kill-point.ts'
import { iso } from '../core/time/time.ts'
import { sha256Hex } from './log/digest.ts'
import type { Timestamp } from './log/evidence-access.ts'
import type { Appending } from './sql/appending.ts'
import type { CheckpointRow } from './sql/checkpoints.ts'
import { insertMark, type MarkRow, readMarks } from './sql/marks.ts'
import { CLOCKS_APART_MS, judgeStamp } from './stamp/judge-stamp.ts'
import { pemOf } from './stamp/pem.ts'

/**
 * Requests a time stamp for the newest checkpoint unless it has one. The new stamp also confirms and renews
 * the earlier stamps that entries under the checkpoint state. If there is no valid stamp, the next call
 * requests one again. Returns the problems.
 */
export async function stampCheckpoint(
  appending: Appending,
  { origin, size, note }: CheckpointRow,
): Promise<string[]> {
  const { account, timestamp, inTransaction, warehouse } = appending
  if (timestamp === undefined) return []
  const marks = await readMarks(warehouse.db, account, { from: size })
  if (marks.some((one) => one.origin === origin && one.kind === 'stamp')) return []
  const asked = await askStamp(appending, timestamp, Buffer.from(note))
  if (typeof asked === 'string') return [asked]
  await point('evidence:anchoring')
  await inTransaction((tx) => insertMark(tx, account, { origin, size, ...asked.mark }))
  await point('evidence:anchored')
  return asked.problems
}

/** A time stamp that was checked on receipt, as it is stored. */
interface AskedStamp {
  mark: Pick<MarkRow, 'kind' | 'who' | 'body' | 'chain'>
  /** Doubts about the time stamp, which is stored anyway. */
  problems: string[]
}

/** Requests a time stamp of these bytes. Returns the reason as text if there is no valid stamp. */
async function askStamp(
  { clock, signal, timestampRoots: roots = [] }: Appending,
  { place, request }: Timestamp,
  data: Buffer,
): Promise<AskedStamp | string> {
  const token = await request(Buffer.from(sha256Hex(data), 'hex'), signal).catch(
    (error: unknown) => {
      if (error instanceof CallsheetError && error.code.startsWith('timestamp'))
        return error.message
      throw error
    },
  )
  if (typeof token === 'string') return token
  const judged = await judgeStamp(token, data, { roots, others: [] })
  if ('wrong' in judged) {
    const { expected, found } = judged.wrong
    return (
      `the time stamp of ${place} was discarded: expected ${expected}, found ${found}; the next run ` +
      'requests another one'
    )
  }
  const { chain, atMs } = judged.stamp
  const apart = Math.abs(atMs - clock.now())
  const mark = { kind: 'stamp', who: place, body: token, chain: pemOf(chain) } as const
  const problems =
    apart > CLOCKS_APART_MS
      ? [
          `the clock of ${place} shows ${iso(atMs)}, and this machine's ${iso(clock.now())}: ` +
            'set the clock of this machine with NTP',
        ]
      : []
  return { mark, problems }
}

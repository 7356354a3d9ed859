import { CallsheetError } from '../core/errors.ts'
import { sha256Hex } from './log/digest.ts'
import type { Timestamp } from './log/evidence-access.ts'
import type { Appending } from './sql/appending.ts'
import type { AnchorRow } from './sql/heads.ts'
import { instant, judgeStamp } from './stamp/judge-stamp.ts'
import { pemOf } from './stamp/pem.ts'

/** A time stamp that was judged at its receipt, as an anchor keeps it. */
export interface AskedStamp {
  anchor: Pick<AnchorRow, 'place' | 'token' | 'chain'>
  /** What is odd about it. */
  problems: string[]
}

/** Asks for a time stamp of these bytes; a text tells why there is none that can be believed. */
export async function askStamp(
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
    return `The time stamp of ${place} is not kept: expected ${expected}, found ${found}`
  }
  const { chain, atMs } = judged.stamp
  const apart = Math.abs(atMs - clock.now())
  const anchor = { place, token, chain: pemOf(chain) }
  const problems =
    apart > CLOCKS_APART_MS
      ? [`${place} says that it is ${instant(atMs)}, and this machine ${instant(clock.now())}`]
      : []
  return { anchor, problems }
}

const CLOCKS_APART_MS = 10 * 60_000

import { DAY_MS } from '../core/time/time.ts'
import { askStamp } from './ask-stamp.ts'
import type { Appending } from './sql/appending.ts'
import { type AnchorRow, headsFrom, insertAnchor } from './sql/heads.ts'
import { instant, judgeStamp } from './stamp/judge-stamp.ts'
import { type KeptStamp, readRenewed, stampName, sumsOf } from './stamp/kept-stamp.ts'
import { keptCertificates } from './stamp/pem.ts'
import { stampOf } from './stamps-of.ts'

/**
 * Has the time stamps confirmed that are near their end, as one: by a stamp of their digests, and of the
 * certificates above them, that ends later than they do. What is confirmed needs no more; the confirmation is
 * renewed in turn. Returns the problems.
 */
export async function renewStamps(
  appending: Appending,
  anchors: readonly AnchorRow[],
): Promise<string[]> {
  const { account, timestamp, inTransaction } = appending
  const due = await dueStamps(appending, anchors)
  const last = due.reduce((most, { endsMs }) => Math.max(most, endsMs), 0)
  if (due.length === 0) return []
  const [stamps, are] =
    due.length === 1 ? ['1 time stamp ends', 'is'] : [`${due.length} time stamps end`, 'are']
  const what = `${stamps} until ${instant(last)}, and ${are} not renewed`
  if (timestamp === undefined) return [`${what}: evidence.timestampUrl names no service`]
  const sums = sumsOf(due.map(({ kept }) => kept))
  const asked = await askStamp(appending, timestamp, Buffer.from(sums))
  if (typeof asked === 'string') return [`${what}: ${asked}`]
  const { end } = asked.stamp
  if (end.atMs <= last)
    return [`${what}: what ${timestamp.place} signs now ends no later (${end.of})`]
  const number = 1 + anchors.filter(({ kind }) => kind === 'renewal').length
  await inTransaction((tx) =>
    insertAnchor(tx, account, { number, kind: 'renewal', covers: sums, ...asked.anchor }),
  )
  return asked.problems
}

interface DueStamp {
  kept: KeptStamp
  endsMs: number
}

/** Those that hold, end soon, and that no renewal confirms. */
async function dueStamps(
  { warehouse, account, clock, timestampRoots: roots = [] }: Appending,
  anchors: readonly AnchorRow[],
): Promise<DueStamp[]> {
  const renewed = new Set(
    anchors.flatMap(({ covers }) => [...(readRenewed(covers ?? '') ?? [])].map(([name]) => name)),
  )
  const now = clock.now()
  const open = anchors.filter(
    ({ kind, number, ends_at: ends }) =>
      kind !== 'locked_object' &&
      !renewed.has(`${stampName({ kind: kind === 'renewal' ? kind : 'head', number })}.tsr`) &&
      (ends === null || isDue(Date.parse(ends), now)),
  )
  if (open.length === 0) return []
  const from = Math.min(
    ...open.filter(({ kind }) => kind === 'rfc3161').map(({ number }) => number),
  )
  const lines = Number.isFinite(from) ? await headsFrom(warehouse.db, account, from) : []
  const heads = new Map(lines.map((head) => [head.number, head]))
  const due: DueStamp[] = []
  for (const row of open) {
    const kept = stampOf(row, heads.get(row.number))
    if (kept === undefined) continue
    const judged = await judgeStamp(kept.token, kept.data, {
      roots,
      others: keptCertificates(kept.chain),
    })
    // What is wrong with one is for `verify` to tell: no later stamp mends it.
    if ('stamp' in judged && isDue(judged.stamp.end.atMs, now))
      due.push({ kept, endsMs: judged.stamp.end.atMs })
  }
  return due
}

function isDue(endsMs: number, nowMs: number): boolean {
  return endsMs > nowMs && endsMs < nowMs + NEAR_MS
}

/** Long enough for people to act on what the runs tell. */
const NEAR_MS = 90 * DAY_MS

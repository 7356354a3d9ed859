import type { Stream } from '../core/define/stream.ts'
import { point } from '../core/kill-point.ts'
import type { Transaction } from '../warehouse/connect.ts'
import { addEntries, type EntryFact } from './add-entries.ts'
import { pairVersions } from './match-versions.ts'
import type { Appending } from './sql/appending.ts'
import {
  type RecordPlace,
  type RowSchema,
  startOf,
  touchedKeys,
  versionsOf,
} from './sql/audited-records.ts'
import { lastCheckpoint, nextMark } from './sql/checkpoints.ts'
import { entriesOf } from './sql/manifest.ts'

/** Records each version of an audited record that has no entry. Returns the mark of the next checkpoint. */
export async function enterRecords(appending: Appending): Promise<number> {
  const { account, inTransaction, streams } = appending
  const { from, next } = await inTransaction(async (tx) => ({
    from: (await lastCheckpoint(tx, account))?.mark ?? 0,
    next: await nextMark(tx, account),
  }))
  for (const stream of streams) {
    if (stream.audited !== true) continue
    for (const where of ['history', 'svc'] as const)
      await enterTouched(appending, { stream, where, from })
  }
  return Math.max(from, next)
}

async function enterTouched(
  appending: Appending,
  { stream, where, from }: { stream: Stream; where: RowSchema; from: number },
): Promise<void> {
  const { account, signal, batchEntries: limit, warehouse } = appending
  const most = limit * LOTS_AT_ONCE
  let place: RecordPlace | undefined = startOf(stream, from)
  while (place !== undefined) {
    signal.throwIfAborted()
    const keys: RecordPlace[] = await touchedKeys(
      warehouse.db,
      { account, stream, where },
      { place, limit: most },
    )
    for (let at = 0; at < keys.length; at += limit) {
      const lot = keys.slice(at, at + limit).map(({ key }) => key)
      await enterVersions(appending, { stream, keys: lot })
    }
    place = keys.length < most ? undefined : keys.at(-1)
  }
}

async function enterVersions(
  { account, inTransaction }: Appending,
  { stream, keys }: { stream: Stream; keys: readonly (readonly string[])[] },
): Promise<void> {
  if (keys.length === 0) return
  await point('evidence:entering')
  await inTransaction(async (tx) =>
    addEntries(tx, account, await missingFacts(tx, { account, stream, keys })),
  )
  await point('evidence:entered')
}

async function missingFacts(
  tx: Transaction,
  {
    account,
    stream,
    keys,
  }: { account: string; stream: Stream; keys: readonly (readonly string[])[] },
): Promise<EntryFact[]> {
  const versions = Map.groupBy(
    await versionsOf(tx, { account, stream }, keys),
    ({ subject }) => subject,
  )
  const wanted = { subjects: [...versions.keys()], kinds: ['record'] }
  const entries = Map.groupBy(await entriesOf(tx, account, wanted), ({ subject }) => subject)
  return [...versions].flatMap(([subject, present]) =>
    pairVersions(present, entries.get(subject) ?? []).matched.versions.map(
      ({ content, size }): EntryFact => ({ kind: 'record', subject, size, content }),
    ),
  )
}

/** The number of batches that share one search, because each search scans all rows that the runs wrote. */
const LOTS_AT_ONCE = 3

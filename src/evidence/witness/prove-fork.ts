import { isCheckpointOf, readCheckpoint } from '../log/checkpoint.ts'
import { sha256Hex } from '../log/digest.ts'
import { equivocationText, judgeEquivocation } from '../log/equivocation.ts'
import { padded } from '../log/head.ts'
import { readPublicKey } from '../log/signing-key.ts'
import type { Appending } from '../sql/appending.ts'
import type { OurLog } from './our-log.ts'

/**
 * Keeps in the store what proves that a checkpoint and our newest one are of two logs. Answers where it lies;
 * undefined where they do not prove that, e.g. where the other one is of more entries than we have, or of
 * another key.
 */
export async function proveFork(
  { store }: Pick<Appending, 'store'>,
  log: OurLog,
  shown: string,
): Promise<string | undefined> {
  const text = await forkText(log, shown)
  if (text === undefined) return undefined
  const name = `equivocation-${padded(log.state.size)}-${sha256Hex(text).slice(0, 8)}.txt`
  await store.keepNote(name, text)
  return `${name} in ${store.place}`
}

/** Undefined where the two do not prove it. */
export async function forkText(log: OurLog, shown: string): Promise<string | undefined> {
  const key = readPublicKey(log.publicKey)
  const other = readCheckpoint(shown)
  const ours = log.state
  if (key === undefined || other === undefined || !isCheckpointOf(other, key)) return undefined
  if (other.origin !== ours.origin || other.size > ours.size) return undefined
  const begins = other.size === ours.size ? undefined : await log.since(other.size)
  const text = equivocationText({ checkpoints: [shown, log.checkpoint], key, begins })
  return judgeEquivocation(text).wrong === undefined ? text : undefined
}

import { runLimited } from '../core/run-limited.ts'
import type { FileStore } from '../store/store.ts'
import type { Warehouse } from '../warehouse/connect.ts'
import { countUnfinished } from './sql/kept-contents.ts'
import { type DueFile, dueContents, dueFiles } from './sql/retention.ts'
import type { RetentionScope } from './sql/retention-rules.ts'

export interface PreviewedFile extends Omit<DueFile, 'verdict'> {
  /** `locked`: the store itself refuses the removal until `lockedUntilMs`. */
  verdict: DueFile['verdict'] | 'locked'
  lockedUntilMs?: number
}

/**
 * Reports every stored file that is due by its rule, and what a prune would do with it. Writes nothing and
 * takes no lease. Returns how many contents are already recorded as removed but may still have bytes; the
 * next prune tries to remove these bytes.
 */
export async function previewPrune(
  { warehouse, store }: { warehouse: Warehouse; store: FileStore },
  scope: RetentionScope,
  report: (file: PreviewedFile) => void,
): Promise<{ unfinished: number }> {
  const locked = await lockedContents({ warehouse, store }, scope)
  return await warehouse.transaction(
    async (tx) => {
      const unfinished = await countUnfinished(tx, scope.account)
      for await (const file of dueFiles(tx, scope)) {
        const untilMs = file.verdict === 'goes' ? locked.get(file.sha256) : undefined
        report(
          untilMs === undefined ? file : { ...file, verdict: 'locked', lockedUntilMs: untilMs },
        )
      }
      return { unfinished }
    },
    { snapshot: true, once: true },
  )
}

/** Asks the store for locks before the snapshot opens, so that no transaction waits for the network. */
async function lockedContents(
  { warehouse, store }: { warehouse: Warehouse; store: FileStore },
  scope: RetentionScope,
): Promise<Map<string, number>> {
  const locked = new Map<string, number>()
  if (store.lockedUntilMs === undefined) return locked
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { due, last } = await dueContents(warehouse.db, scope, { after, limit: CONTENTS_AT_ONCE })
    await runLimited(due, ASKED_AT_ONCE, async ({ sha256 }) => {
      const untilMs = await store.lockedUntilMs?.(sha256)
      if (untilMs !== undefined) locked.set(sha256, untilMs)
    })
    after = last
  }
  return locked
}

const CONTENTS_AT_ONCE = 1_000
const ASKED_AT_ONCE = 8

import { mayMeanOne } from '../../core/define/answer-meaning.ts'
import type { Stream } from '../../core/define/stream.ts'
import {
  type CallsheetError,
  isDaySpent,
  isOfOneCall,
  UnusableValueError,
} from '../../core/errors.ts'
import { isHashed } from '../../core/records/column-policy.ts'
import { wireKey } from '../../core/records/record-key.ts'
import { runLimited } from '../../core/run-limited.ts'
import type { WireRecord } from '../../core/values/json.ts'
import type { RunContext } from '../run/run-context.ts'

export interface FoundRow {
  key: string[]
  record: WireRecord
}

interface DetailAnswers {
  deleted: string[][]
  found: FoundRow[]
  /** Rows whose key has a digest in place of the value that the service knows, so nothing was requested. */
  nameless: string[][]
  /** False if a call failed, so that the state of some rows is unknown. */
  whole: boolean
}

/**
 * Requests each missing row by its detail call. A row is deleted if the answer is declared so, or shows the
 * record that superseded it.
 */
export async function askDetails(
  run: RunContext,
  stream: Stream,
  keys: readonly string[][],
): Promise<DetailAnswers> {
  const deleted: string[][] = []
  const found: FoundRow[] = []
  const rule = stream.deletions
  const hashed = run.columns?.of(stream)?.hashesKeys === true
  const nameless = keys.filter((key) => hashed && key.some(isHashed))
  if (rule.by !== 'detail') return { deleted, found, nameless, whole: true }
  let failed: CallsheetError | undefined
  let stopped = false
  const askable = keys.filter((key) => !nameless.includes(key))
  await runLimited(askable, DETAILS_AT_ONCE, async (key) => {
    if (stopped) return
    const row = Object.fromEntries(stream.key.map((name, at) => [name, wireKey(key[at] ?? '')]))
    try {
      const detail = await run.client.fetchDetail(
        rule.operation,
        { path: rule.path(row) },
        { signal: run.signal },
      )
      const superseded = detail.state === 'found' && rule.superseded?.(detail.record, row) === true
      if (detail.state === 'deleted' || superseded) deleted.push(key)
      else if (detail.state === 'found') found.push({ key, record: detail.record })
    } catch (error) {
      if (run.signal.aborted || !isOfOneCall(error)) throw error
      if (isDaySpent(error)) run.postpone()
      // This answer proves nothing, so the row stays. The run reports the first such error.
      failed ??= error
      // Any other error may concern all keys, so the remaining calls are not sent.
      stopped ||= !(error instanceof UnusableValueError || mayMeanOne(rule.operation, error))
    }
  })
  if (failed !== undefined)
    run.problem(
      `${stream.name}: could not check whether missing rows are deleted. ${failed.message}`,
      true,
      stream,
    )
  return { deleted, found, nameless, whole: failed === undefined }
}

const DETAILS_AT_ONCE = 16

import type { Stream } from '../../core/declare/stream.ts'
import { WORD_FIELDS } from '../../core/declare/word-fields.ts'
import { unnamedWords } from '../../core/events/words.ts'
import { speaksWords } from '../../core/records/translate.ts'
import { valuesOf } from '../../warehouse/load/values-of.ts'
import { retryDatabase } from '../run/retry-database.ts'
import type { RunContext } from '../run/run-context.ts'

/**
 * Values that seem to be the service's words for some of the documents', and that nobody named: whoever looks
 * for the documents' finds nothing, so the run is not complete.
 */
export async function reportWords(run: RunContext, stream: Stream): Promise<void> {
  if (!speaksWords(stream.operation)) return
  const { warehouse, account, words } = run
  for (const column of Object.keys(stream.columns)) {
    const known = WORD_FIELDS[column]
    if (known === undefined) continue
    const held = await retryDatabase(run, () => valuesOf(warehouse, { account, stream }, column))
    const unnamed = unnamedWords(words, { known, held })
    if (unnamed.length === 0) continue
    const told = unnamed.map(({ value, word }) => `${value} for ${word}`).join(', ')
    const text = `the service seems to say ${told}; name its words in accounts[].words`
    run.problem(`${stream.name}.${column}: ${text} (as themselves if it does not)`, true, stream)
  }
}

import type { Stream } from '../core/stream.ts'
import { speaksWords } from '../core/translate.ts'
import { likeWord, WORD_FIELDS } from '../core/words.ts'
import { otherValues } from '../warehouse/other-values.ts'
import { retryDatabase } from './retry-database.ts'
import type { RunContext } from './run-context.ts'

/**
 * Where nobody named the service's words, values that are like those of the documents but for the name in
 * them are taken for its words: whoever looks for the documents' finds nothing, so the run is not complete.
 */
export async function tellWords(run: RunContext, stream: Stream): Promise<void> {
  if (run.words !== undefined || !speaksWords(stream.operation)) return
  const { warehouse, account } = run
  for (const column of Object.keys(stream.columns)) {
    const known = WORD_FIELDS[column]
    if (known === undefined) continue
    const values = await retryDatabase(run, () =>
      otherValues(warehouse, { account, stream }, { column, known }),
    )
    const alike = values.flatMap((value) => {
      const word = likeWord(known, value)
      return word === undefined ? [] : [`${value} for ${word}`]
    })
    if (alike.length === 0) continue
    const told = `the service seems to say ${alike.join(', ')}; name its words in accounts[].words`
    run.problem(`${stream.name}.${column}: ${told} ({svc: svc} if they are not)`, true, stream)
  }
}

import { sql } from 'kysely'
import type { Note } from '../../src/core/define/report.ts'
import { counted } from '../../src/core/values/quantities.ts'
import { note } from '../shared/blocks.ts'
import { type Counts, numberOf } from './facts.ts'
import { badOf } from './kind-shares.ts'
import { isRated, KINDS, type SessionSource } from './source.ts'

/** Notes the month's unknown ratings, which count as not rated. */
export async function unknownNote(source: SessionSource, month: Counts): Promise<Note[]> {
  const unknown = KINDS.reduce(
    (sum, { kind }) => sum + numberOf(month, `${kind}_said`) - badOf(month, kind).of,
    0,
  )
  if (unknown === 0) return []
  const words = await wordsIn(source)
  const more = words.length > MOST_WORDS ? ' and others' : ''
  const named = words.slice(0, MOST_WORDS).map((word) => `“${word.slice(0, LONGEST)}”`)
  const are = unknown === 1 ? 'is' : 'are'
  const text =
    `${counted(unknown, 'rating')} ${are} not known and counted as none: ` +
    `${named.join(', ')}${more}.`
  return [note('warning', text)]
}

async function wordsIn({ db, sessions }: SessionSource): Promise<string[]> {
  const said = KINDS.map(({ column }) => sql`(${sql.ref(column)})`)
  const word = sql.ref<string>('word')
  const rows = await db
    .selectFrom(sessions.as('s'))
    .innerJoinLateral(
      sql<{ word: string }>`(values ${sql.join(said)})`.as<'w'>(sql`w(word)`),
      (on) => on.onTrue(),
    )
    .select('w.word')
    .distinct()
    .where(sql<boolean>`${word} <> '' and not ${isRated(word)}`)
    .orderBy('w.word')
    .limit(MOST_WORDS + 1)
    .execute()
  return rows.map((row) => row.word)
}

const MOST_WORDS = 5
const LONGEST = 30

import { HOLDER_BUNDLE } from './bundle-holder.ts'
import { BEARER_MEMBERS } from './bundle-members.ts'
import { BEARER_WHOLE } from './bundle-whole.ts'
import { WITNESSED } from './bundle-witnessed.ts'
import { ERASER_RECORDS, OWNER_TAKEN } from './eraser-records.ts'
import { ERASER_ROWS } from './eraser-rows.ts'
import { LAKE } from './lake.ts'
import { ERASER_LEDGERS, OWNER_LEDGERS, WRITER_LEDGERS } from './ledgers.ts'
import { OWNER_ENTRIES } from './owner-entries.ts'
import { HOLDER_LOG, OWNER_LOG } from './owner-log.ts'
import { OWNER_RECORDS } from './owner-records.ts'
import { REFUSED } from './refused.ts'
import { ERASER_TAKES, WRITER_ROWS } from './rows.ts'
import { FORMER, SET_BACK, SIGNED_ANEW } from './signed-anew.ts'
import { STORE } from './store.ts'
import { ROLES, type Role } from './tamper.ts'
import { ERASER_FILES, HOLDER_FILES, WRITER_FILES } from './writer-files.ts'
import { RECEIVER, WRITER_LOG } from './writer-log.ts'
import { WRITER_RECORDS } from './writer-records.ts'

/** Tampers with the database and the store of an account; `verify` finds them with the key. */
export const ON_STAGE = [
  { by: 'store', where: 'store', tampers: STORE },
  { by: 'writer', where: 'database', tampers: [...WRITER_RECORDS, ...WRITER_LOG] },
  { by: 'writer', where: 'database and store', tampers: WRITER_FILES },
  { by: 'eraser', where: 'database', tampers: [...ERASER_RECORDS, ...ERASER_ROWS] },
  { by: 'eraser', where: 'database and store', tampers: ERASER_FILES },
  { by: 'receiver', where: 'database', tampers: RECEIVER },
  {
    by: 'owner',
    where: 'database',
    tampers: [...OWNER_RECORDS, ...OWNER_ENTRIES, ...OWNER_TAKEN, ...OWNER_LOG],
  },
  { by: 'holder', where: 'database and store', tampers: [...HOLDER_LOG, ...HOLDER_FILES] },
] as const

/** Tampers with the ledgers of a synced account; `verify` finds them. */
export const OF_LEDGERS = [
  { by: 'writer', where: 'database', tampers: [...WRITER_LEDGERS, ...WRITER_ROWS] },
  { by: 'eraser', where: 'database', tampers: [...ERASER_LEDGERS, ...ERASER_TAKES] },
  { by: 'owner', where: 'database', tampers: OWNER_LEDGERS },
] as const

/** Tampers with a bundle; `verify --bundle` and the page find them with the key and the newest checkpoint. */
export const OF_BUNDLES = [
  { by: 'bearer', where: 'bundle', tampers: [...BEARER_MEMBERS, ...BEARER_WHOLE] },
  { by: 'holder', where: 'bundle', tampers: HOLDER_BUNDLE },
] as const

/** Tampers with a lake; `verify --lake` finds them. */
const OF_LAKES = [{ by: 'lake', where: 'lake', tampers: LAKE }] as const

/** Consistent tampers, which only a checkpoint, stamp, witness or newer key kept elsewhere reveals. */
const KEPT_ELSEWHERE = [
  { by: 'owner', where: 'database and store', tampers: SET_BACK },
  { by: 'holder', where: 'database and store', tampers: SIGNED_ANEW },
  { by: 'holder', where: 'bundle', tampers: WITNESSED },
  { by: 'former', where: 'database', tampers: FORMER },
] as const

export interface Listed {
  name: string
  by: Role
  where: string
  /** Found by `verify`, refused by the database, or found only with evidence kept elsewhere. */
  found: 'verify' | 'refused' | 'kept'
}

/** Every tamper of the catalogue. */
export function listed(): Listed[] {
  const found = [...ON_STAGE, ...OF_LEDGERS, ...OF_BUNDLES, ...OF_LAKES].flatMap(
    ({ by, where, tampers }) =>
      tampers.map(([name]) => ({ name, by, where, found: 'verify' as const })),
  )
  const kept = KEPT_ELSEWHERE.flatMap(({ by, where, tampers }) =>
    tampers.map(([name]) => ({ name, by, where, found: 'kept' as const })),
  )
  const refused = Object.entries(REFUSED).flatMap(([role, tampers]) =>
    tampers.map(([name]) => ({
      name,
      by: role as keyof typeof REFUSED,
      where: 'database',
      found: 'refused' as const,
    })),
  )
  return [...found, ...kept, ...refused]
}

/** The number of tampers by role, as a table for docs/security.md. */
export function catalogueTable(): string {
  const rows = Object.entries(ROLES).map(([by, name]) => {
    const own = listed().filter((one) => one.by === by)
    const count = (how: Listed['found']) => own.filter(({ found }) => found === how).length
    const places = [...new Set(own.flatMap(({ where }) => where.split(' and ')))].join(', ')
    return [name, places, count('verify'), count('kept'), count('refused')]
  })
  const sums = [2, 3, 4].map((at) => rows.reduce((sum, row) => sum + Number(row[at]), 0))
  return [
    [
      'who',
      'in',
      'named by `verify`',
      'shown by what is kept elsewhere',
      'refused by the database',
    ],
    ['---', '---', '---', '---', '---'],
    ...rows,
    ['all', '', ...sums],
  ]
    .map((row) => `| ${row.join(' | ')} |\n`.replace('|  |', '| |'))
    .join('')
}

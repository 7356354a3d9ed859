import type { ReportContext } from '../../../src/core/define/report.ts'
import type { Relation } from '../../../src/core/define/stream-row.ts'
import type { whiteboards } from '../../../src/resources/whiteboards.ts'
import type { Days } from '../days.ts'
import type { AuditSource } from '../source.ts'
import { type Base, readBase } from './base.ts'
import { type BoardsGone, readBoardsGone } from './boards-gone.ts'
import type { Night } from './night.ts'
import { keepNewcomers, keepPersonDays, type Newcomer } from './person-days.ts'
import { readOutsiderKind, readPersonKinds } from './read-kinds.ts'
import type { UnusualSettings } from './settings.ts'
import { type KindFacts, type UnusualTest, unusualTests } from './tests.ts'

/** The test results of the period, and the data that could not be tested. */
export interface Unusual {
  base: Base
  night: Night | undefined
  newcomers: Relation<Newcomer>
  kinds: readonly JudgedKind[]
  /** Undefined if the list of boards was never read. */
  boardsGone: BoardsGone | undefined
  /** Days that may be unusual, the most certain first. */
  tests: readonly UnusualTest[]
  /** The number of tests in the family. */
  testCount: number
  /** Whether each day of the period is proven complete. */
  proven: boolean
  /** Whether all tests had complete data: all kinds, and only proven days in the period and the base. */
  whole: boolean
}

export interface JudgedKind extends KindFacts {
  /** The reason why nothing was tested; undefined if it was. */
  untold: string | undefined
}

/** Tests the period; undefined for a report on one board or one person, which has no base of its own. */
export async function judgeUnusual(
  context: Pick<
    ReportContext<unknown, typeof whiteboards, UnusualSettings>,
    'keep' | 'goneRows' | 'settings'
  >,
  source: AuditSource,
  days: readonly Days[],
): Promise<Unusual | undefined> {
  const { params } = source
  if (params.whiteboard !== undefined || params.user !== undefined) return undefined
  const { settings } = context
  const base = await readBase(source, settings.baseDays)
  const people = await keepPersonDays(context, source, { base, settings })
  const newcomers = await keepNewcomers(context, people, base)
  const facts = [
    ...(await readPersonKinds(source, people, base)),
    await readOutsiderKind(source, newcomers, base),
  ]
  const kinds = facts.map((one) => ({ ...one, untold: untoldOf(one, base, people.night) }))
  const judged = kinds.filter(({ untold }) => untold === undefined)
  const boardsGone = await readBoardsGone(context, source, base)
  const proven = days.every(({ state }) => state === 'complete')
  return {
    base,
    night: people.night,
    newcomers,
    kinds,
    boardsGone,
    tests: unusualTests(judged),
    testCount: judged.reduce((sum, { tests }) => sum + tests, 0),
    proven,
    whole: judged.length === kinds.length && base.proven && proven,
  }
}

function untoldOf({ kind, base }: KindFacts, days: Base, night: Night | undefined) {
  const read = kind === 'outsiders' ? base.length : days.days.length - days.unread.length
  if (read < FEWEST_DAYS)
    return `only ${read} of the days before were read completely, and ${FEWEST_DAYS} are needed`
  const units = base.reduce((sum, one) => sum + one.units, 0)
  if (kind !== 'outsiders' && units < FEWEST_UNITS)
    return `the days before have only ${units} person-days at boards, and ${FEWEST_UNITS} are needed`
  if (kind === 'nights' && night === undefined)
    return 'the account has no three quiet hours in a row; set nightHours in the configuration'
  return undefined
}

/** The minimum number of base days: four weeks, with each weekday four times. */
const FEWEST_DAYS = 28
const FEWEST_UNITS = 50

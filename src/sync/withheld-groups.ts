import { mayMeanOne, meansRefused, meansWithheld } from '../core/define/answer-meaning.ts'
import type { Stream } from '../core/define/stream.ts'
import { NotAllowedError, type ServiceError } from '../core/errors.ts'
import type { DueGroup } from './plan/plan-fan-out.ts'
import type { GroupRead } from './read/read-group.ts'
import type { SliceReading } from './run/slice-reading.ts'

/**
 * Groups of which not one list is for us. Whether their stream is, is known only when all were read: lists
 * lie side by side that are withheld for one reason, and a bundle of these says nothing of the others.
 */
export interface WithheldGroups {
  /** Whether so many were withheld, and none was answered, that no more need be asked for now. */
  doubtful(): boolean
  /** Takes a group to be settled at the end; not one of a stream of which any list was answered. */
  keeps(groupRead: GroupRead): boolean
  /**
   * What was taken: withheld list by list, or not allowed at all, when not one of many is for us, or when
   * nothing declares that a refusal is of one list, and no list was answered beside it.
   */
  decided(): readonly GroupRead[]
}

export function withheldGroups({ operation }: Stream, groups: readonly DueGroup[]): WithheldGroups {
  let answered = groups.some((group) => group.answered === true)
  const kept: GroupRead[] = []
  const lists = (): number => kept.reduce((sum, { readings }) => sum + readings.length, 0)
  const doubtful = (): boolean => !answered && lists() >= MANY
  const isUnknown = ({ error }: SliceReading): boolean =>
    mayMeanOne(operation, error) && meansRefused(operation, error)
  const none = (): boolean =>
    doubtful() || (!answered && kept.some(({ readings }) => readings.some(isUnknown)))
  return {
    doubtful,
    keeps(groupRead) {
      const { readings } = groupRead
      answered ||= readings.some(({ pages }) => pages > 0)
      const isRefused = (reading: SliceReading): boolean =>
        meansWithheld(operation, reading.error) || isUnknown(reading)
      if (answered || !readings.every(isRefused)) return false
      kept.push(groupRead)
      return true
    },
    decided: () => (none() ? kept.map((groupRead) => refusedAll(groupRead, lists())) : kept),
  }
}

function refusedAll(groupRead: GroupRead, lists: number): GroupRead {
  const readings = groupRead.readings.map((reading) => {
    const refusal = reading.error as ServiceError
    const came = `none of ${lists} lists is for us: ${refusal.facts.came}`
    const error = new NotAllowedError(refusal, { ...refusal.facts, came })
    return { ...reading, error, state: 'not_allowed' as const }
  })
  return { ...groupRead, readings }
}

const MANY = 10

import { mayMeanOne, meansRefused, meansWithheld } from '../core/define/answer-meaning.ts'
import type { Stream } from '../core/define/stream.ts'
import { NotAllowedError, type ServiceError } from '../core/errors.ts'
import type { DueGroup } from './plan/plan-fan-out.ts'
import type { GroupRead } from './read/read-group.ts'
import type { SliceReading } from './run/slice-reading.ts'

/**
 * Groups whose lists were all withheld or refused without a declared meaning. They are stored until the
 * stream's other groups were read: lists refused for one reason are often adjacent, in the same group.
 */
export interface WithheldGroups {
  /** Whether ten lists were withheld and none returned, so that no more are requested for now. */
  doubtful(): boolean
  /** Stores such a group to settle it at the end. False for others, or once any list was returned. */
  keeps(groupRead: GroupRead): boolean
  /**
   * The stored groups. All their lists count as not allowed if no list was returned, and ten were refused or
   * one of the refusals has no declared meaning. Otherwise each list counts by its own response.
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
    const came = `the service allows none of ${lists} lists: ${refusal.facts.came}`
    const error = new NotAllowedError(refusal, { ...refusal.facts, came })
    return { ...reading, error, state: 'not_allowed' as const }
  })
  return { ...groupRead, readings }
}

const MANY = 10

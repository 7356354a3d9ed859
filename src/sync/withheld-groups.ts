import { mayMeanOne, meansRefused, meansWithheld } from '../core/define/answer-meaning.ts'
import type { Stream } from '../core/define/stream.ts'
import { NotAllowedError, type ServiceError } from '../core/errors.ts'
import type { DueGroup } from './plan/plan-fan-out.ts'
import type { GroupRead } from './read/read-group.ts'
import type { SliceReading } from './run/slice-reading.ts'

/**
 * Groups whose lists were all withheld. They are stored until the stream's other groups were read, because
 * lists withheld for one reason are often adjacent, so one group does not represent the others.
 */
export interface WithheldGroups {
  /** Whether ten lists were withheld and none returned, so that no more are requested for now. */
  doubtful(): boolean
  /** Stores a group to settle it at the end; false if any list of the stream was returned. */
  keeps(groupRead: GroupRead): boolean
  /**
   * The stored groups. Their lists count as withheld one by one, or all as not allowed: if no list was
   * returned and ten were withheld, or if a refusal is not declared as concerning one list.
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

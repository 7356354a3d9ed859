import { describe, expect, it } from 'vitest'
import type { Stream } from '../../src/core/define/stream.ts'
import { NotAllowedError } from '../../src/core/errors.ts'
import { smsConsentNumbers } from '../../src/resources/sms-consents.ts'
import { whiteboardContent } from '../../src/resources/whiteboard-content.ts'
import type { GroupRead } from '../../src/sync/read/read-group.ts'
import type { SliceReading } from '../../src/sync/run/slice-reading.ts'
import { withheldGroups } from '../../src/sync/withheld-groups.ts'
import { groupOf, listOf, refusal } from './deletions/group-read.ts'

/** Boards declare that a 403 concerns one list; the numbers of a policy do not. */
const BOARDS: Stream = whiteboardContent
const NUMBERS: Stream = smsConsentNumbers
const WITHHELD = { error: refusal(403), pages: 0 }

const groupRead = (readings: SliceReading[], stream = BOARDS): GroupRead =>
  groupOf(stream, readings) as GroupRead
const lists = (count: number, more: Partial<SliceReading>): SliceReading[] =>
  Array.from({ length: count }, (_, at) => listOf(`board ${at}`, more))

function take(groups: SliceReading[][], { stream = BOARDS, answered = false } = {}) {
  const planned = [
    { ...groupOf(stream, []).group, ...(answered ? { answered: true as const } : {}) },
  ]
  const withheld = withheldGroups(stream, planned)
  const kept = groups.map((readings) => withheld.keeps(groupRead(readings, stream)))
  const decided = withheld.decided().flatMap(({ readings }) => readings.map(({ state }) => state))
  return { kept, doubtful: withheld.doubtful(), decided: [...new Set(decided)], of: decided.length }
}

describe('groups of refused lists', () => {
  it('count as single refused lists if they are few', () => {
    const taken = take([lists(9, WITHHELD)])
    expect(taken).toEqual({ kept: [true], doubtful: false, decided: ['complete'], of: 9 })
  })

  it('count as a stream that is not allowed after ten refusals and no response', () => {
    const taken = take([lists(4, WITHHELD), lists(6, WITHHELD)])
    expect(taken).toEqual({ kept: [true, true], doubtful: true, decided: ['not_allowed'], of: 10 })
  })

  it('count as single refused lists if another list of the run was answered', () => {
    const taken = take([lists(12, WITHHELD), [listOf('other')]])
    expect(taken).toEqual({ kept: [true, false], doubtful: false, decided: ['complete'], of: 12 })
  })

  it('are settled at once if a list was answered on another night', () => {
    const taken = take([lists(12, WITHHELD)], { answered: true })
    expect(taken).toEqual({ kept: [false], doubtful: false, decided: [], of: 0 })
  })

  it('are settled at once if a list was answered before', () => {
    expect(take([[listOf('other')], lists(3, WITHHELD)]).kept).toEqual([false, false])
    expect(take([[...lists(3, WITHHELD), listOf('other')]]).kept).toEqual([false])
  })

  it('are settled at once if one list failed in another way', () => {
    const failed = listOf('other', { error: refusal(500), pages: 0, state: 'failed' })
    expect(take([[...lists(3, WITHHELD), failed]]).kept).toEqual([false])
  })

  it('count as not allowed if no rule says that a refusal concerns one list', () => {
    const taken = take([lists(1, { error: refusal(403), pages: 0 })], { stream: NUMBERS })
    expect(taken).toEqual({ kept: [true], doubtful: false, decided: ['not_allowed'], of: 1 })
  })

  it('do not count absent lists as refused', () => {
    const gone = { error: refusal(404, '1002013'), pages: 0 }
    expect(take([lists(12, gone)], { stream: NUMBERS })).toMatchObject({ kept: [false], of: 0 })
    expect(take([lists(12, { error: refusal(404, '34007') })])).toMatchObject({
      kept: [false],
      of: 0,
    })
  })

  it('report the number of refused lists', () => {
    const withheld = withheldGroups(BOARDS, [])
    withheld.keeps(groupRead(lists(10, WITHHELD)))
    const [first] = withheld.decided()[0]?.readings ?? []
    expect(first?.error).toBeInstanceOf(NotAllowedError)
    expect(String(first?.error)).toContain('the service allows none of 10 lists: HTTP 403')
  })
})

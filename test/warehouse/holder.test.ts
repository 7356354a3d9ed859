import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { isGone, isGoneHere, thisProcess } from '../../src/warehouse/holder.ts'

describe('whether a holder has ended', () => {
  const { pid: ended } = spawnSync(process.execPath, ['--version'])
  const WITHOUT_BOOT_ID = '/no-such-folder'

  it('is told by the process on the same boot, and on no other machine', () => {
    const own = thisProcess()
    expect(own.place).not.toBe('')
    expect(isGone(own)).toBe(false)
    expect(isGone({ ...own, started: 'earlier' })).toBe(true)
    expect(isGone({ ...own, pid: ended })).toBe(true)
    expect(isGone({ ...own, pid: ended, host: 'another' })).toBe(false)
    expect(isGone({ ...own, pid: ended, place: 'another boot' })).toBe(false)
  })

  it('is not told by a process number where nothing tells machines of one name apart', () => {
    const theirs = { ...thisProcess(WITHOUT_BOOT_ID), pid: ended }
    expect(isGone(theirs, WITHOUT_BOOT_ID)).toBe(false)
    // What lies on this machine can be held by its processes alone.
    expect(isGoneHere(theirs, WITHOUT_BOOT_ID)).toBe(true)
  })
})

import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { isGone, isGoneHere, thisProcess } from '../../src/warehouse/holder.ts'

describe('the check whether a lease holder has ended', () => {
  const { pid: ended } = spawnSync(process.execPath, ['--version'])
  const WITHOUT_BOOT_ID = '/no-such-folder'

  it('is true only for an ended process of the same machine and boot', () => {
    const own = thisProcess()
    expect(own.place).not.toBe('')
    expect(isGone(own)).toBe(false)
    expect(isGone({ ...own, started: 'earlier' })).toBe(true)
    expect(isGone({ ...own, pid: ended })).toBe(true)
    expect(isGone({ ...own, pid: ended, host: 'another' })).toBe(false)
    expect(isGone({ ...own, pid: ended, place: 'another boot' })).toBe(false)
  })

  it('is false if machines with one name cannot be distinguished', () => {
    const theirs = { ...thisProcess(WITHOUT_BOOT_ID), pid: ended }
    expect(isGone(theirs, WITHOUT_BOOT_ID)).toBe(false)
    // A holder of something on this machine can run only here, so its ID is enough.
    expect(isGoneHere(theirs, WITHOUT_BOOT_ID)).toBe(true)
  })
})

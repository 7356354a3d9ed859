import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findChromium } from '../../../src/report/pdf/find-chromium.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'callsheet-path-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function program(directory: string, name: string, mode = 0o755): string {
  mkdirSync(join(folder, directory), { recursive: true })
  const path = join(folder, directory, name)
  writeFileSync(path, '#!/bin/sh\n')
  chmodSync(path, mode)
  return path
}

const found = (chromium: string | null, ...directories: string[]) =>
  findChromium({
    chromium,
    environment: { PATH: directories.map((one) => join(folder, one)).join(delimiter) },
  })

describe('the Chromium', () => {
  it('is the first of its names in the system’s path', async () => {
    program('later', 'google-chrome')
    const chromium = program('last', 'chromium')
    expect(await found(null, 'none', 'later', 'last')).toBe(chromium)
  })

  it('is the configured one even if another is in the path', async () => {
    program('path', 'chromium')
    const own = program('own', 'my-chromium')
    expect(await found(own, 'path')).toBe(own)
  })

  it('is no folder, and no file that this user cannot run', async () => {
    mkdirSync(join(folder, 'folders', 'chromium'), { recursive: true })
    program('unrunnable', 'chromium', 0o644)
    await expect(found(null, 'folders', 'unrunnable')).rejects.toMatchObject({
      code: 'chromium_missing',
      facts: {
        came: 'PATH has no Chromium',
        todo: expect.stringContaining('set reports.chromium to its path') as string,
      },
    })
  })

  it('is not searched in relative folders of the path', async () => {
    program('here', 'chromium')
    const environment = { PATH: `.${delimiter}${delimiter}here` }
    await expect(findChromium({ chromium: null, environment })).rejects.toMatchObject({
      code: 'chromium_missing',
    })
  })

  it('that is configured and missing is named with its setting', async () => {
    program('path', 'chromium')
    await expect(found('/nowhere/chromium', 'path')).rejects.toMatchObject({
      facts: { came: 'there is none at /nowhere/chromium, the path in reports.chromium' },
    })
  })
})

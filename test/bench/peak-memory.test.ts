import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const MIB = 2 ** 20
const CHILD = join(import.meta.dirname, 'tell-peak.ts')

async function peakOfChild(mebibytes: number): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [CHILD, String(mebibytes)])
  const told = JSON.parse(stdout) as { held: number; peak: number }
  expect(told.held).toBe(1)
  return told.peak
}

it('the peak memory of a process does not include that of the process that started it', async () => {
  const large = Buffer.alloc(400 * MIB, 1)
  const small = await peakOfChild(1)
  expect(process.memoryUsage.rss()).toBeGreaterThan(large.length)
  expect(small).toBeGreaterThan(20 * MIB)
  expect(small).toBeLessThan(250 * MIB)
  expect((await peakOfChild(300)) - small).toBeGreaterThan(250 * MIB)
})

import { spawnSync } from 'node:child_process'
import { describe, expect, inject, it } from 'vitest'
import { poolerLane } from './pooler/lane.ts'

const there = spawnSync('pgbouncer', ['--version']).status === 0
if (!there) process.stdout.write('NOT RUN: what needs pgbouncer, which this machine lacks\n')

describe.runIf(there)('a PgBouncer before the database', () => {
  it('is refused in every pool mode', async () => {
    const summary = await poolerLane({ url: inject('serverUrl') })
    expect(summary?.violations).toEqual([])
    expect(summary?.ways).toBe(6)
  })
})

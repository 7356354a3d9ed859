import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { accountDigests } from '../helpers/account-digests.ts'
import { POINTS } from '../helpers/kill-points.ts'
import { WHOLE } from '../helpers/whole.ts'
import { type MoveBench, openMoveBench } from './move-bench.ts'

let moving: MoveBench
beforeAll(async () => {
  moving = await openMoveBench()
}, 300_000)
afterAll(() => moving.close())

describe('callsheet move', () => {
  it('is completed by the same command after it was killed at any point', async () => {
    const points = inject('programs').points
    const trace = join(moving.bench.folder, 'trace.json')
    const preload = { NODE_OPTIONS: `--import ${points}` }
    let [from, to]: ('default' | 'east')[] = ['default', 'east']
    const move = (more: Record<string, string> = {}) => {
      moving.configure(to!)
      return moving.begin(['move', 'main', '--from', from!], { ...preload, ...more }).ended
    }
    const swap = (): void => void ([from, to] = [to, from])
    const rows = await accountDigests(moving.home, 'main')
    expect(await move({ PROOF_TRACE: trace })).toMatchObject({ code: 0 })
    const hits = JSON.parse(readFileSync(trace, 'utf8')) as string[]
    const names = new Set(hits.map((hit) => hit.split('#')[0]))
    const own = POINTS.filter((name) => name.startsWith('move:'))
    expect(own.filter((name) => !names.has(name))).toEqual([])
    // All between the last copied row and the first removed one, and of the others one or some hits.
    const [last, first] = ['move:switching#1', 'move:cleaning#1'].map((hit) => hits.indexOf(hit))
    const between = hits.slice(last, (first ?? 0) + 1)
    const others = [...Map.groupBy(hits, (hit) => hit.split('#')[0] ?? '').values()].flatMap(
      (all) => (WHOLE ? [all[0], all.at(all.length >> 1), all.at(-1)] : [all.at(all.length >> 1)]),
    )
    const targets = [...new Set([...between, ...others])].filter((hit) => hit !== undefined)
    expect(between.length).toBeGreaterThan(6)
    let killed = 0
    for (const hit of targets) {
      swap()
      const { code } = await move({ PROOF_KILL_AT: hit })
      if (code === null) killed++
      const again = await move()
      expect([hit, again.code, again.stderr]).toEqual([hit, 0, ''])
      const [there, here] = to === 'east' ? [moving.east, moving.home] : [moving.home, moving.east]
      expect([
        hit,
        await accountDigests(there, 'main'),
        await accountDigests(here, 'main'),
      ]).toEqual([hit, rows, {}])
    }
    expect(killed).toBeGreaterThan(own.length)
    expect((await moving.run('verify', '--account', 'main')).code).toBe(0)
    expect((await moving.run('sync', 'users', '--account', 'main')).code).toBe(0)
  }, 580_000)
})

import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'

const SIM = 'test/sim/main.ts'
const PROOF = 'test/proof/main.ts'
const BENCH = 'bench/main.ts'

/** Without a number of seeds there would be no seeds, without a bug's name no bug, and all would be well. */
describe('the commands for proofs and measurements refuse unreadable arguments:', () => {
  it.each([
    [SIM, ['--seeds', 'abc'], "'--seeds <n>' argument 'abc'"],
    [SIM, ['--seeds', '0'], 'Expected a whole number from 1'],
    [SIM, ['--workers', '-1'], "'--workers <n>' argument '-1'"],
    [SIM, ['--seed=7', '--trace', 'more'], 'too many arguments'],
    [SIM, ['--trace'], 'name it, as in SEED=7'],
    [SIM, ['--planted', '--only', 'no-such-bug'], 'Allowed choices are no-overlap'],
    [PROOF, ['--points', 'all'], "'--points <n>' argument 'all'"],
    [PROOF, ['--crashes', '0'], 'Expected a whole number from 1'],
    [BENCH, ['--rows', '1e6'], "'--rows <n>' argument '1e6'"],
    [BENCH, ['lod'], 'Allowed choices are accounts'],
    [BENCH, ['--source', 'rooms'], 'Allowed choices are users, sessions'],
  ])('%s %j', (tool, words, told) => {
    const { status, stdout, stderr } = start(tool, words)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain(told)
    expect(stderr).toContain('--help')
  })

  it('an invalid seed in the environment', () => {
    const { status, stderr } = start(SIM, ['--trace'], { SEED: 'seven' })
    expect({ status, stderr }).toMatchObject({ status: 2 })
    expect(stderr).toContain("'seven' from env 'SEED'")
  })
})

it.each([SIM, PROOF, BENCH])('%s --help prints its options and exits with 0', (tool) => {
  const { status, stdout, stderr } = start(tool, ['--help'])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toMatch(/^Usage: npm run (sim|proof|bench) -- /)
  expect(stdout).toContain('Examples:')
})

function start(tool: string, words: readonly string[], more: Record<string, string> = {}) {
  const env = { ...process.env, ...more }
  return spawnSync(process.execPath, [tool, ...words], { encoding: 'utf8', env })
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/resources/declared.ts'
import { start } from './workbench.ts'

let folder: string
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'callsheet-operations-'))))
afterAll(() => rmSync(folder, { recursive: true }))

const run = (...args: string[]) => start(['operations', ...args], { folder }).ended

describe('callsheet operations', () => {
  it('lists all operations, even without a configuration', async () => {
    const { code, stdout } = await run('--json')
    expect(code).toBe(0)
    const said = JSON.parse(stdout) as {
      operations: { id: string; adminOnly: boolean; readBy: string[] }[]
    }
    expect(said.operations.map(({ id }) => id)).toEqual(operations.map(({ id }) => id))
    const byId = new Map(said.operations.map((operation) => [operation.id, operation]))
    expect(byId.get('phone_numbers.allocate')).toMatchObject({
      label: 'HEAVY',
      adminOnly: true,
      readBy: [],
      success: { status: 204 },
      body: { required: ['allocated_product', 'numbers'] },
    })
    expect(byId.get('whiteboards.list')).toMatchObject({
      adminOnly: false,
      readBy: ['whiteboards'],
    })
    expect(byId.get('phone_numbers.get')).toMatchObject({
      readBy: ['phone-numbers', 'number-details'],
    })
  })

  it('shows one operation with its parameters and fields', async () => {
    const { stdout } = await run('peering_numbers.add')
    expect(stdout).toContain('POST /number_management/peering_numbers, label LIGHT')
    expect(stdout).toContain('answers:  201 without a body')
    expect(stdout).toContain('phone_numbers*: list of object, 1 to 200')
    expect(stdout).toContain('phone_numbers[].service_info: string, at most 255 characters')
    expect(stdout).toContain('allocated_product: UNALLOCATED | SVC_PHONE | SVC_CONTACT_CENTER')
    expect(stdout).toContain('400 1003: too many numbers at once')
  })

  it('suggests an operation with a similar name', async () => {
    const { code, stderr } = await run('users.lst')
    expect(code).toBe(2)
    expect(stderr).toContain('did you mean users.list?')
  })
})

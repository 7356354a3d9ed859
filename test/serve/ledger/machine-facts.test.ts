import { describe, expect, it } from 'vitest'
import { machineFaults } from '../../../src/serve/ledger/machine-facts.ts'
import { hasTurn, type Machine, type MachineFacts } from '../../../src/serve/ledger/machines.ts'

const keys = { tokenKey: 'k', evidenceKey: 'e', store: 's', storeIsFolder: false }
const facts: MachineFacts = { ...keys, policies: { main: 'p' } }
const own = { ...facts, host: 'own' }
const other = (more: Partial<Machine>): Machine => ({ ...facts, host: 'other', pid: 1, ...more })
const saidOf = (...others: Machine[]) =>
  machineFaults(own, others).map(({ severe, text, todo }) => [severe, text, todo].join(' | '))

describe('machines that work together', () => {
  it('report no difference if their settings are equal', () => {
    expect(saidOf(other({}), other({ host: 'third' }))).toEqual([])
  })

  it('need the same token key, and each machine with another key is named once', () => {
    expect(saidOf(other({ tokenKey: 'x', store: 'y' }), other({ pid: 2, tokenKey: 'x' }))).toEqual([
      'true | other has another token key, so it cannot read the tokens that this machine stores | ' +
        'set tokenKey to the same secret on every machine',
    ])
  })

  it('need the same evidence key if both write evidence', () => {
    expect(saidOf(other({ evidenceKey: 'x' }))[0]).toContain(
      'true | other has another evidence key',
    )
    expect(saidOf(other({ evidenceKey: null }))).toEqual([])
  })

  it('need the same archive store', () => {
    expect(saidOf(other({ store: 'y' }))[0]).toContain('true | other has another archive store')
  })

  it('need the same settings rows and columns for an account that they share', () => {
    expect(saidOf(other({ policies: { main: 'x' } }))).toEqual([
      'true | other keeps other rows or columns of the same account | ' +
        'set accounts[].rows and accounts[].columns alike on every machine, and restart them',
    ])
    expect(saidOf(other({ policies: { second: 'x' } }))).toEqual([])
  })

  it('only cause a warning if each archives to a folder, because folders may be shared', () => {
    const folder = { ...own, storeIsFolder: true }
    const faults = machineFaults(folder, [other({ storeIsFolder: true })])
    expect(faults.map(({ severe }) => severe)).toEqual([false])
    expect(faults[0]?.todo).toContain('set archive.store to s3')
    expect(machineFaults(folder, [other({ host: 'own', storeIsFolder: true })])).toEqual([])
  })
})

it('listed machines take turns, and an unlisted machine has every turn', () => {
  const names = ['a', 'b', 'c'].map((host) => ({ host, pid: 1 }))
  const turnsOf = (host: string) =>
    [0, 1, 2, 3, 4, 5].filter((span) => hasTurn({ host, pid: 1 }, names, span))
  expect(['a', 'b', 'c', 'd'].map(turnsOf)).toEqual([
    [0, 3],
    [1, 4],
    [2, 5],
    [0, 1, 2, 3, 4, 5],
  ])
  expect(hasTurn({ host: 'a', pid: 1 }, [], 7)).toBe(true)
})

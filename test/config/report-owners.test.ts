import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { catalog } from '../../src/account/catalog.ts'
import { loadConfig } from '../../src/config/load-config.ts'
import { account, useConfigFolder } from './config-folder.ts'

const { inFolder } = useConfigFolder()

function load(...lines: readonly string[]) {
  const path = inFolder('config.yaml')
  writeFileSync(path, [...account, ...lines].join('\n'))
  return loadConfig({ path, ...catalog, environment: { SECRET: 's' } }).config.reports
}

const MAIL = 'mail: {host: mail.example.com, from: a@example.com}'
const OWNER = '    - {name: Sales, sessionKeys: ["^sales-"], mail: [sales@example.com]}'

describe('reports.owners', () => {
  it('declares who owns which session keys, sites and departments', () => {
    const { owners, jobs } = load(
      MAIL,
      'reports:',
      '  owners:',
      OWNER,
      '  jobs: {recordings-report: {deliver: {owners: true}}}',
    )
    const rest = { sites: [], departments: [] }
    const mail = ['sales@example.com']
    expect(owners).toEqual([{ name: 'Sales', sessionKeys: ['^sales-'], mail, ...rest }])
    expect(jobs['recordings-report']?.deliver.owners).toBe(true)
  })

  it.each([
    [
      ['  owners:', '    - {name: Sales}'],
      /:10:7 reports\.owners\[0\]: expected sessionKeys, sites/,
    ],
    [
      ['  owners:', '    - {name: Sales, sessionKeys: ["^(a"]}'],
      /:10:\d+ reports\.owners\[0\]\.sessionKeys\[0\]: expected a regular expression: Untermin/,
    ],
    [
      ['  owners:', OWNER, '    - {name: SALES, sites: [Berlin]}'],
      /:10:5 reports\.owners: expected owners whose names differ in letters or digits/,
    ],
    [
      ['  owners:', '    - {name: "…", sites: [Berlin]}'],
      /:10:\d+ reports\.owners\[0\]\.name: expected a name with a letter or digit/,
    ],
    [
      ['  owners:', OWNER, '  jobs: {reconciliation-report: {deliver: {owners: true}}}'],
      /:11:\d+ reports\.jobs\.reconciliation-report\.deliver\.owners: expected false, because/,
    ],
    [
      ['  jobs: {recordings-report: {deliver: {owners: true}}}'],
      /:9:\d+ reports\.jobs\.recordings-report\.deliver\.owners: expected reports\.owners too/,
    ],
    [
      ['  owners:', OWNER, '  jobs: {recordings-report: {deliver: {owners: true}}}'],
      /:11:\d+ reports\.jobs\.recordings-report\.deliver\.owners: expected mail\.host too/,
    ],
  ])('is refused with the place in the file: %j', (lines, message) => {
    expect(() => load('reports:', ...lines)).toThrow(message)
  })
})

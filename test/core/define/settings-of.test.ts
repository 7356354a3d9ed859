import { expect, it } from 'vitest'
import { catalog } from '../../../src/account/catalog.ts'
import { configSchema } from '../../../src/config/schema.ts'
import { settingsOf } from '../../../src/core/define/settings-of.ts'

const account = {
  name: 'main',
  baseUrl: 'https://svc.example/v2',
  authUrl: 'https://svc.example',
  accountId: 'a',
  clientId: 'c',
  clientSecret: 'env:CALLSHEET_CLIENT_SECRET',
}
const prices = { NL: { Toll: 1.5 } }

/** The settings that a report gets from this part of the configuration. */
function settingsFrom(name: string, settings: Record<string, unknown>) {
  const config = configSchema(catalog).parse({ accounts: [account], reports: { settings } })
  const report = catalog.reports.find((one) => one.name === name)
  return report && settingsOf(report, config.reports.settings)
}

it('the access review gets the prices and the currency of the number inventory', () => {
  const given = { 'number-inventory': { prices, currency: 'USD', quarantineDays: 9 } }
  expect(settingsFrom('access-review', given)).toEqual({
    inactiveDays: 90,
    licensePrices: {},
    prices,
    currency: 'USD',
  })
})

it('the number inventory gets the days of the access review', () => {
  const given = { 'access-review': { inactiveDays: 30 } }
  expect(settingsFrom('number-inventory', given)).toMatchObject({ inactiveDays: 30, prices: {} })
})

it('the settings of other reports stay as configured', () => {
  expect(settingsFrom('recordings', { recordings: { currency: 'USD' } })).toEqual({
    rules: [],
    pricePerGb: null,
    currency: 'USD',
  })
})

it('a shared setting is refused for the report that only reads it', () => {
  expect(() => settingsFrom('access-review', { 'access-review': { prices } })).toThrow(/prices/)
})

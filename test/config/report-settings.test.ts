import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { configSchema } from '../../src/config/schema.ts'

const account = {
  name: 'main',
  baseUrl: 'https://api.svc.example/v2',
  authUrl: 'https://svc.example',
  accountId: 'acc',
  clientId: 'app',
  clientSecret: 'env:SECRET',
}
const prices = z.object({ price: z.number().default(1.5) })
const schema = configSchema({
  jobs: [],
  reports: [{ name: 'costs', settings: prices }, { name: 'plain' }],
})
const read = (settings: unknown) => schema.safeParse({ accounts: [account], reports: { settings } })

describe('the settings of reports', () => {
  it('contain the settings that the reports declare, with their defaults', () => {
    expect(read({}).data?.reports.settings).toEqual({ costs: { price: 1.5 } })
    expect(read({ costs: { price: 2 } }).data?.reports.settings).toEqual({ costs: { price: 2 } })
  })

  it.each([
    [{ costs: { prize: 2 } }, 'prize'],
    [{ costs: { price: 'two' } }, 'price'],
    [{ plain: {} }, 'plain'],
  ])('are rejected, and the error names the wrong setting: %j', (settings, name) => {
    const issues = read(settings).error?.issues ?? []
    expect(JSON.stringify(issues)).toContain(name)
  })
})

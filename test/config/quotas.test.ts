import { expect, it } from 'vitest'
import { accountSettings } from '../../src/config/account-settings.ts'
import { quotasOf } from '../../src/config/quotas.ts'
import { LEARN_ALL, QUOTA_PRESETS } from '../../src/core/define/quota.ts'

const parse = (quotas: unknown) => quotasOf(accountSettings.shape.quotas.parse(quotas))

it('the quotas are those of the configured plan, and all rates are learned without a setting', () => {
  expect(parse('pro')).toEqual(QUOTA_PRESETS.pro)
  expect(parse(undefined)).toEqual(LEARN_ALL)
})

it('configured limits count in the same pools as the limits of plans', () => {
  const quotas = parse({ HEAVY: { perSecond: 5 }, LIGHT: { perDay: 9 } })
  expect(quotas).toEqual({
    LIGHT: { perDay: 9, pool: 'LIGHT' },
    MEDIUM: 'learn',
    HEAVY: { perSecond: 5, pool: 'HEAVY+RESOURCE-INTENSIVE' },
    'RESOURCE-INTENSIVE': 'learn',
  })
})

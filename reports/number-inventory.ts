import { z } from 'zod'
import { defineReport } from '../src/core/declare/report.ts'
import { phoneNumberAssignments, phoneNumbers } from '../src/resources/phone-numbers.ts'
import { smsConsentNumbers, smsConsents } from '../src/resources/sms-consents.ts'
import { users } from '../src/resources/users.ts'
import { allNumbersSection } from './number-inventory/all-numbers.ts'
import { breakdownSection, readBreakdown } from './number-inventory/breakdown.ts'
import { changesSection, readChanges } from './number-inventory/changes.ts'
import { findingSections } from './number-inventory/findings.ts'
import { smsConsentsSection } from './number-inventory/sms-consents.ts'
import { numberSource } from './number-inventory/source.ts'
import { summarySection } from './number-inventory/summary.ts'

export default defineReport({
  name: 'number-inventory',
  title: 'Number inventory',
  params: z.object({
    timezone: z
      .string()
      .optional()
      .describe('The zone of the times; the configuration’s by default'),
  }),
  needs: [phoneNumbers, phoneNumberAssignments, users],
  optional: [smsConsents, smsConsentNumbers],
  periods: () => undefined,
  async build(context) {
    const source = await numberSource(context)
    const breakdown = await readBreakdown(source)
    const changes = await readChanges(source)
    return [
      await summarySection(source, { breakdown, changes }),
      breakdownSection(breakdown),
      ...findingSections(source),
      changesSection(source, changes),
      allNumbersSection(source),
      await smsConsentsSection(context),
    ]
  },
})

import { z } from 'zod'
import { defineReport } from '../src/core/define/report.ts'
import { portedOrders, sipGroups, sipTrunks } from '../src/resources/number-settings.ts'
import { peeringNumbers } from '../src/resources/peering-numbers.ts'
import { phoneNumberAssignments, phoneNumbers } from '../src/resources/phone-numbers.ts'
import { portedOrderDetails } from '../src/resources/ported-order-details.ts'
import { smsConsentDetails } from '../src/resources/sms-consent-details.ts'
import { smsConsentNumbers, smsConsents } from '../src/resources/sms-consents.ts'
import { userDetails } from '../src/resources/user-details.ts'
import { users } from '../src/resources/users.ts'
import { allNumbersSection } from './number-inventory/all-numbers.ts'
import { assigneesSections } from './number-inventory/assignees.ts'
import { breakdownSection, readBreakdown } from './number-inventory/breakdown.ts'
import { changesSection, readChanges } from './number-inventory/changes.ts'
import { contentsOf } from './number-inventory/contents.ts'
import { inventoryCut } from './number-inventory/cut.ts'
import { emergencyLosses, lostCallsNotes } from './number-inventory/emergency-losses.ts'
import { exhaustionSection } from './number-inventory/exhaustion.ts'
import { findingSections } from './number-inventory/findings.ts'
import { idleNumbers } from './number-inventory/idle.ts'
import { peeringSection } from './number-inventory/peering.ts'
import { peopleSection } from './number-inventory/people.ts'
import { portingSection } from './number-inventory/porting.ts'
import { rangesSection } from './number-inventory/ranges.ts'
import { reclaimedSection } from './number-inventory/reclaimed.ts'
import { inventorySettings } from './number-inventory/settings.ts'
import { smsConsentsSection } from './number-inventory/sms-consents.ts'
import { smsCoverageSections } from './number-inventory/sms-coverage.ts'
import { numberSource } from './number-inventory/source.ts'
import { summarySection, totalsOf } from './number-inventory/summary.ts'
import { trendSection } from './number-inventory/trend.ts'
import { trunksSection } from './number-inventory/trunks.ts'
import { reclaimableSection, unassignedSection } from './number-inventory/unassigned.ts'
import { findingsOf, type ReportPart, withContents } from './shared/blocks.ts'
import { OWNER } from './shared/owner.ts'
import { TIME_ZONE } from './shared/periods.ts'

export default defineReport({
  name: 'number-inventory',
  title: 'Number inventory',
  params: z.object({ ...TIME_ZONE, ...OWNER }),
  settings: inventorySettings,
  sharedSettings: { 'access-review': ['inactiveDays'] },
  needs: [phoneNumbers, phoneNumberAssignments, users],
  optional: [
    smsConsents,
    smsConsentNumbers,
    smsConsentDetails,
    portedOrders,
    portedOrderDetails,
    sipGroups,
    sipTrunks,
    peeringNumbers,
    userDetails,
  ],
  periods: () => undefined,
  cut: inventoryCut,
  async build(context) {
    const source = await numberSource(context)
    const breakdown = await readBreakdown(source)
    const changes = await readChanges(source)
    const idle = await idleNumbers(source)
    const totals = totalsOf(breakdown)
    const losses = await emergencyLosses(source)
    const [emergency, ...problems] = findingSections(source, { ...totals, ...losses })
    // The part of one owner omits orders, partners, trunks, ranges and consents: they mix numbers of several.
    const isWhole = source.owner === undefined
    // Savings come first, then problems with emergency calls.
    const first = [
      await reclaimableSection(source, idle, totals),
      ...(emergency === undefined ? [] : [emergency]),
    ]
    // The summary shows the findings in this order. The sheets have it too, but the long lists come last.
    const parts: ReportPart[] = [
      await exhaustionSection(source),
      ...(isWhole ? [await portingSection(source)] : []),
      ...(await smsCoverageSections(source)),
      ...problems,
      await peopleSection(source),
      ...(isWhole ? [await peeringSection(source), await trunksSection(source)] : []),
      breakdownSection(breakdown),
      await trendSection(source),
      await reclaimedSection(source),
      ...(await assigneesSections(source)),
      unassignedSection(source, idle),
      ...(isWhole ? [await rangesSection(source)] : []),
      changesSection(source, changes),
      allNumbersSection(source, breakdown),
      ...(isWhole ? [await smsConsentsSection(source)] : []),
    ]
    const urgent = [...findingsOf(first), ...lostCallsNotes(losses)]
    const findings = { urgent, others: findingsOf(parts) }
    const summary = await summarySection(source, { breakdown, changes, findings })
    const [lists = [], overviews = []] = [true, false].map((long) =>
      parts.filter(({ title }) => LISTS.has(title) === long),
    )
    const sheets = [...first, ...overviews, ...lists]
    return [summary, ...withContents(sheets, contentsOf(totals, isWhole))]
  },
})

/** The long lists, most of them with a row for each number, person or change. */
const LISTS: ReadonlySet<string> = new Set([
  'SMS without policy',
  'Pending',
  'Duplicates',
  'Inactive users',
  'People to review',
  'Peering',
  'Assignee list',
  'Unassigned',
  'Ranges',
  'Changes',
  'All numbers',
  'SMS consents',
])

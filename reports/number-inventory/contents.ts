import { count as grouped } from '../../src/core/values/quantities.ts'
import type { Row } from '../shared/query.ts'

/** Describes what each sheet shows, some with a count from the totals. */
export function contentsOf(totals: Row, editable = true): Readonly<Record<string, string>> {
  const count = (name: string): string => grouped(Number(totals[name] ?? 0))
  return {
    Breakdown: `${count('numbers')} numbers by product, type, country, site and carrier`,
    Trend: 'numbers and assigned numbers at the end of each month',
    Unassigned: `${count('unassigned')} unassigned numbers, reclaimable ones first`,
    Reclaimable: 'numbers that can be returned, and the monthly savings',
    Reclaimed: 'what returning or reusing idle numbers saved, by month',
    Ranges: 'consecutive numbers, their gaps and longest free blocks',
    'Days to exhaustion': 'when each site and product runs out of free numbers',
    Pending: `${count('pending')} numbers that are not ready for use yet`,
    'Emergency addresses': 'numbers that lack a valid emergency address',
    Duplicates: `${count('duplicates')} entries whose number is listed more than once`,
    'Inactive users': `${count('to_inactive_users')} numbers assigned to inactive users`,
    'People to review': 'people with numbers who left or have not logged in',
    Assignees: 'who has numbers, by department and cost center',
    'Assignee list': 'every person, queue and device with its numbers',
    'SIP trunks': 'SIP groups and trunks, with the numbers that use them',
    Peering: 'partner numbers that do not match the account',
    Porting: 'orders by status, and those that need attention',
    'SMS coverage': 'consent policies, and the numbers that can send messages',
    'SMS without policy': 'numbers that can send messages without an active policy',
    Changes: 'what was added, removed and changed since the last inventory',
    'All numbers':
      `all ${count('numbers')} numbers` +
      (editable ? '; edit the tinted columns in the workbook to apply changes' : ''),
    'SMS consents': 'every number of every consent policy',
  }
}

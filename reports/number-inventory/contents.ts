import { count as grouped } from '../../src/core/values/quantities.ts'
import type { Row } from '../shared/query.ts'

/** Says what each sheet shows, with its count where the totals have it. */
export function contentsOf(totals: Row): Readonly<Record<string, string>> {
  const count = (name: string): string => grouped(Number(totals[name] ?? 0))
  return {
    Breakdown: `${count('numbers')} numbers by product, type, country, site and carrier`,
    Trend: 'numbers and assigned numbers at the end of each month',
    Unassigned: `${count('unassigned')} numbers that nobody has, the longest idle first`,
    Reclaimable: 'numbers that can be returned, and what that saves a month',
    Ranges: 'consecutive numbers, their gaps and longest free blocks',
    'Days to exhaustion': 'when each site and product runs out of free numbers',
    Pending: `${count('pending')} numbers that the service has not made ready`,
    'Emergency addresses': 'numbers that lack a valid emergency address',
    Duplicates: `${count('duplicates')} entries that share their number with another`,
    'Inactive users': `${count('to_inactive_users')} numbers assigned to inactive users`,
    Assignees: 'who has numbers, by department and cost centre',
    'Assignee list': 'every person, queue and device with its numbers',
    'SIP trunks': 'groups and trunks beside the numbers that name them',
    Peering: 'partner numbers that do not match the account',
    Porting: 'orders by status; rejected and overdue ones first',
    'SMS coverage': 'consent policies, and the numbers that can send messages',
    'SMS without policy': 'numbers that can send messages under no active policy',
    Changes: 'what was added, removed and changed since the last inventory',
    'All numbers': `all ${count('numbers')} numbers; tinted columns can be edited and applied`,
    'SMS consents': 'every number of every consent policy',
  }
}

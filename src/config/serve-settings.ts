import { z } from 'zod'
import { cron, NEVER, orNull, ownAddress, secret, whole } from './fields.ts'
import { isLoopbackHost } from './loopback.ts'

export const serveSettings = z
  .strictObject({
    host: ownAddress().describe('Listen address of the status page, health checks and metrics.'),
    port: whole(0, 65_535).default(8091).describe('Port; 0: any free port.'),
    token: orNull(
      secret(),
      'Token for all but health checks; required unless host is this machine.',
    ),
    accountsAtOnce: whole(1, 1000)
      .default(8)
      .describe('How many accounts to sync at the same time.'),
  })
  .refine(({ host, token }) => token !== null || isLoopbackHost(host), {
    path: ['token'],
    error: 'a token of at least 16 characters, as serve.host is no address of this machine alone',
  })
  .describe('Listen address of callsheet serve, and its concurrency.')

const task = (schedule: string, what: string) => cron().default(schedule).describe(what)

/** Other tasks that `callsheet serve` runs on a schedule for each account. */
export const taskSettings = z
  .strictObject({
    verify: task(NEVER, 'Checks the evidence, as callsheet verify does.'),
    'archive-prune': task(
      NEVER,
      'Schedule of callsheet archive prune --yes, which applies archive.retention.',
    ),
    'audit-export': task(NEVER, 'Schedule of callsheet audit export for the previous month.'),
    'ledger-prune': task(
      '30 5 1 * *',
      'Schedule of callsheet ledger prune --yes, which applies ledger.keepMonths.',
    ),
  })
  .describe('Scheduled tasks of callsheet serve besides jobs and reports.')

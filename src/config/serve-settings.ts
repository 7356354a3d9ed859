import { z } from 'zod'
import { cron, NEVER, secret } from './fields.ts'
import { isLoopbackHost } from './loopback.ts'

export const serveSettings = z
  .strictObject({
    host: z
      .string({ error: 'an address of this machine' })
      .regex(/^[\w.:-]{1,100}$/, { error: 'an address of this machine' })
      .default('127.0.0.1')
      .describe('The address of the status page, health and metrics; the machine itself.'),
    port: z.int().min(0).max(65_535).default(8091).describe('The port; 0 takes a free one.'),
    token: secret()
      .nullable()
      .default(null)
      .describe(
        'Whoever asks for more than health must show it; an address of the network needs one.',
      ),
    accountsAtOnce: z
      .int()
      .min(1)
      .max(1000)
      .default(8)
      .describe('How many accounts are worked on at the same time.'),
  })
  .refine(({ host, token }) => token !== null || isLoopbackHost(host), {
    path: ['token'],
    error: 'a token of at least 16 characters, as serve.host is no address of this machine alone',
  })
  .describe('How callsheet serve is reached, and how much it does at once.')

const task = (schedule: string, what: string) => cron().default(schedule).describe(what)

/** Other tasks that `callsheet serve` runs on a schedule for each account. */
export const taskSettings = z
  .strictObject({
    verify: task(NEVER, 'Checks the evidence, as callsheet verify does.'),
    'archive-prune': task(
      NEVER,
      'Removes what archive.retention lets go, as callsheet archive prune --yes does.',
    ),
    'audit-export': task(
      NEVER,
      'Writes the evidence of the month before, as callsheet audit export does.',
    ),
    'ledger-prune': task(
      '30 5 1 * *',
      'Removes what ledger no longer keeps, as callsheet ledger prune --yes does.',
    ),
  })
  .describe('What callsheet serve does by the clock besides jobs and reports.')

import { z } from 'zod'
import { identifier, secret, serviceUrl } from './fields.ts'

const limits = z
  .strictObject({
    perSecond: z.number().positive().max(10_000).optional().describe('Calls a second.'),
    perMinute: z.number().positive().max(600_000).optional().describe('Calls a minute.'),
    perDay: z.int().positive().optional().describe('Calls a day, which starts at 00:00 UTC.'),
    pool: z.string().min(1).max(40).optional().describe('Labels of one pool share their day.'),
  })
  .refine((given) => Object.keys(given).length > 0, { error: 'at least one limit' })

const label = limits.or(z.literal('learn')).default('learn')

const quotas = z
  .union(
    [
      z.enum(['starter', 'pro', 'business', 'learn']),
      z.strictObject({
        LIGHT: label,
        MEDIUM: label,
        HEAVY: label,
        'RESOURCE-INTENSIVE': label,
      }),
    ],
    { error: 'starter, pro, business, learn, or limits per label' },
  )
  .default('learn')
  .describe('The plan whose limits the account has, limits per label, or learn to find them out.')

const videoSessions = z
  .strictObject({
    auth: z
      .enum(['jwt', 'oauth'])
      .default('jwt')
      .describe('jwt: signed with the key below; oauth: the same token as all other calls.'),
    apiKey: identifier().nullable().default(null).describe('The issuer of the JWT.'),
    apiSecret: secret().nullable().default(null).describe('What the JWT is signed with.'),
  })
  .describe('How calls on video sessions and recordings identify themselves.')

export const accountSettings = z.strictObject({
  name: z
    .string({ error: 'a name' })
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, {
      error: 'a name of lower-case letters, digits and hyphens, at most 40',
    })
    .describe('The account column of every row; never change it later.'),
  baseUrl: serviceUrl().describe('Where the API answers, with its version.'),
  authUrl: serviceUrl().describe('The authorization server, which serves /oauth/token.'),
  accountId: identifier().describe('As the app page of the service shows it.'),
  clientId: identifier().describe('As the app page of the service shows it.'),
  clientSecret: secret().describe('A secret: env:NAME or file:path.'),
  videoSessions: videoSessions.prefault({}),
  quotas,
  headroom: z
    .number()
    .min(0)
    .max(0.9)
    .default(0.1)
    .describe('Share of every limit left to the other apps of the account.'),
})

export type AccountSettings = z.output<typeof accountSettings>

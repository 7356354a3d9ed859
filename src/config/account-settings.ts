import { z } from 'zod'
import { APP_KINDS, comesBack } from '../core/define/app-kind.ts'
import { cron, host, identifier, loopbackUrl, secret, serviceUrl } from './fields.ts'
import { wordSettings as words } from './word-settings.ts'

const limits = z
  .strictObject({
    perSecond: z.number().positive().max(10_000).optional().describe('Calls a second.'),
    perMinute: z.number().positive().max(600_000).optional().describe('Calls a minute.'),
    perDay: z.int().positive().optional().describe('Calls a day, which starts at 00:00 UTC.'),
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

export const accountName = z.string({ error: 'a name' }).regex(/^[a-z0-9][a-z0-9-]{0,39}$/, {
  error: 'a name of lower-case letters, digits and hyphens, at most 40',
})

const fields = z.strictObject({
  name: accountName.describe('The account column of every row; never change it later.'),
  baseUrl: serviceUrl().describe('Where the API answers, with its version.'),
  apiHosts: z
    .array(host())
    .max(50)
    .default([])
    .describe(
      'Hosts that may be called in place of baseUrl, where the answer with a token names them (api_url).',
    ),
  authUrl: serviceUrl().describe('The authorization server, which serves /oauth/token.'),
  app: z
    .enum(APP_KINDS)
    .default('server-to-server')
    .describe('The kind of app. All but server-to-server and chatbot need callsheet login once.'),
  accountId: identifier()
    .nullable()
    .default(null)
    .describe('As the app page of the service shows it; server-to-server apps need it.'),
  clientId: identifier().describe('As the app page shows it; the public one of a public-client.'),
  clientSecret: secret()
    .nullable()
    .default(null)
    .describe('A secret: env:NAME or file:path. A public-client has none.'),
  redirectUrl: loopbackUrl()
    .nullable()
    .default(null)
    .describe('Where the browser comes back to, as registered on the app, on this machine.'),
  videoSessions: videoSessions.prefault({}),
  notificationSecrets: z
    .array(secret())
    .max(5)
    .default([])
    .describe('What notifications are signed with, from the app page; any of them, for a change.'),
  quotas,
  historyDays: z
    .int()
    .min(30)
    .max(3_650)
    .default(180)
    .describe('How many days back archived whiteboard sessions and recordings are read.'),
  recordingTrash: z
    .boolean()
    .default(true)
    .describe('Whether the service has a trash of recordings to list.'),
  jobs: z
    .record(z.string(), cron())
    .default({})
    .describe('Jobs that this account runs otherwise than the others: {users: never}.'),
  words,
  reserve: z
    .number()
    .min(0)
    .max(0.9)
    .default(0.1)
    .describe('Share of every limit left to the other apps of the account.'),
})

/** Checks which settings a kind of app requires, and which it cannot have. */
export const accountSettings = fields.superRefine((account, issues) => {
  const { app, accountId, clientSecret, redirectUrl } = account
  const refuse = (field: keyof typeof account, message: string, required: boolean): void =>
    issues.addIssue({ code: 'custom', path: [field], message, params: { required } })
  const isPublic = app === 'public-client'
  if (app === 'server-to-server' && accountId === null) refuse('accountId', 'an identifier', true)
  if (!isPublic && clientSecret === null) refuse('clientSecret', 'env:NAME or file:path', true)
  if (isPublic && clientSecret !== null)
    refuse('clientSecret', 'nothing, as a public-client has no secret', false)
  if (comesBack(app) && redirectUrl === null)
    refuse('redirectUrl', 'the redirect URL that is registered on the app', true)
})

export type AccountSettings = z.output<typeof accountSettings>

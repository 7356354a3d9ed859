import { z } from 'zod'
import { APP_KINDS, comesBack } from '../core/define/app-kind.ts'
import { DEFAULT_DATABASE } from './default-database.ts'
import {
  cron,
  flag,
  host,
  identifier,
  loopbackUrl,
  orNull,
  secret,
  serviceUrl,
  shortName,
  whole,
} from './fields.ts'
import { wordSettings as words } from './word-settings.ts'

const limits = z
  .strictObject({
    perSecond: z.number().positive().max(10_000).optional().describe('Calls per second.'),
    perMinute: z.number().positive().max(600_000).optional().describe('Calls per minute.'),
    perDay: z.int().positive().optional().describe('Calls per day, which starts at 00:00 UTC.'),
  })
  .refine((given) => Object.keys(given).length > 0, { error: 'at least one limit' })

const partValue = z.union([z.string(), z.number(), z.boolean(), z.null()], {
  error: 'text, a number, true, false or null (empty)',
})

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
  .describe(
    'Plan of the account, limits per label, or learn: find rates while calling, but no daily quota.',
  )

const videoSessions = z
  .strictObject({
    auth: z
      .enum(['jwt', 'oauth'])
      .default('jwt')
      .describe('jwt: sign calls with the key below. oauth: use the token of all other calls.'),
    apiKey: orNull(identifier(), 'Key of the video-session app.'),
    apiSecret: orNull(secret(), 'Secret of the video-session app.'),
  })
  .describe('How to authenticate calls for video sessions and recordings.')

export const accountName = shortName()

const fields = z.strictObject({
  name: accountName.describe('Stored in the account column of every row; never change it.'),
  database: shortName()
    .default(DEFAULT_DATABASE)
    .describe(
      'The database of its rows: a name in databases, or default for the setting database.',
    ),
  baseUrl: serviceUrl().describe('Root URL of the API, with its version.'),
  apiHosts: z
    .array(host())
    .max(50)
    .default([])
    .describe(
      'Regional hosts to call instead of baseUrl if the token response names one of them (api_url).',
    ),
  authUrl: serviceUrl().describe(
    'Root URL of the authorization server, which serves /oauth/token.',
  ),
  app: z
    .enum(APP_KINDS)
    .default('server-to-server')
    .describe('App type. All but server-to-server need callsheet login once.'),
  accountId: orNull(
    identifier(),
    "Account ID from the app's page; only for server-to-server apps.",
  ),
  clientId: identifier().describe("Client ID from the app's page."),
  clientSecret: orNull(secret(), 'A secret: env:NAME or file:path. A public-client has none.'),
  redirectUrl: orNull(
    loopbackUrl(),
    'Redirect URL on this machine, exactly as registered with the app.',
  ),
  videoSessions: videoSessions.prefault({}),
  notificationSecrets: z
    .array(secret())
    .max(5)
    .default([])
    .describe("Secrets that sign notifications, from the app's page; list two to rotate one."),
  quotas,
  historyDays: whole(30, 3_650)
    .default(180)
    .describe('How many days back to read archived whiteboard sessions and recordings.'),
  recordingTrash: flag(true, 'Whether the service can list a trash of recordings.'),
  jobs: z
    .record(z.string(), cron())
    .default({})
    .describe('Schedules that differ for this account, e.g. {users: never}.'),
  columns: z
    .record(z.string(), z.record(z.string(), z.enum(['drop', 'hash'])))
    .default({})
    .describe(
      'Fields that are dropped or hashed before anything is stored, e.g. {users: {job_title: drop}}.',
    ),
  rows: z
    .record(
      z.string(),
      z
        .record(z.string(), z.array(partValue).min(1))
        .refine((given) => Object.keys(given).length > 0, { error: 'needs at least one field' }),
    )
    .default({})
    .describe('The records to keep, by field and values, e.g. {users: {dept: [Sales, Support]}}.'),
  words,
  reserve: z
    .number()
    .min(0)
    .max(0.9)
    .default(0.1)
    .describe('Share of every limit to leave to other apps of the account.'),
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

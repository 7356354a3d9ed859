import { z } from 'zod'
import { FILE_CREDENTIALS, type FileHost, hostNameOf } from '../core/define/file-host.ts'
import { HOST, host, identifier, path, secret, serviceUrl } from './fields.ts'
import { LEAST_KEPT_MONTHS } from './kept-months.ts'

const VERIFIER_KEY =
  'a verifier key for cosignatures: its name, + and 8 hex digits, + and 44 letters of base64'

const s3 = z
  .strictObject({
    bucket: identifier().nullable().default(null).describe('The bucket; needed for store: s3.'),
    region: identifier().default('us-east-1').describe('The region that requests are signed for.'),
    endpoint: serviceUrl()
      .nullable()
      .default(null)
      .describe("The address of the bucket's service; null is the provider's for the region."),
    prefix: z
      .string()
      .regex(/^[\w-]{1,100}$/, { error: 'letters, digits, hyphens and underscores' })
      .default('callsheet')
      .describe('Put before each name.'),
    accessKeyId: identifier().nullable().default(null).describe('Names the key below.'),
    secretAccessKey: secret().nullable().default(null).describe('A secret: env:NAME or file:path.'),
    lockDays: z
      .int()
      .min(1)
      .max(36_500)
      .nullable()
      .default(null)
      .describe('How long object lock keeps each object; null: no lock is asked for.'),
  })
  .describe('A bucket that speaks the S3 protocol.')

/** Settings that only a bucket requires. Keys from the environment or the machine are not used. */
const OF_A_BUCKET = {
  bucket: 'an identifier',
  accessKeyId: 'an identifier',
  secretAccessKey: 'env:NAME or file:path',
}

const names = () => z.array(z.string().min(1).max(400)).max(10_000)

const subject = {
  whiteboards: names().optional().describe('IDs of whiteboards.'),
  labels: names().optional().describe('Names of classification labels that we applied ourselves.'),
}

const priority = z
  .strictObject({
    ...subject,
    outsiders: z.literal(true).optional().describe('Sessions with people from outside.'),
  })
  .refine((rule) => Object.keys(rule).length === 1, {
    error: 'one of whiteboards, labels and outsiders',
  })

const retention = z.strictObject({
  keepDays: z.int().min(1).max(36_500).describe('Days since the activity.'),
  ...subject,
})

const trustedHost = z.strictObject({
  host: host().describe('Its name, with its port where that is not 443; always over https.'),
  credential: z
    .enum(FILE_CREDENTIALS)
    .describe(
      'What it is trusted with. account: the bearer, for archived files. For recordings jwt: the JWT as a ' +
        "bearer; jwt-in-query: as access_token; download-token: the recording's own.",
    ),
})

const ONE_HOST = `${HOST}, or {host, credential: ${FILE_CREDENTIALS.join(' | ')}}`

/** Finds a host with two settings for one kind of file: a single setting must decide where a token goes. */
function twiceTrusted(hosts: readonly FileHost[]): string | undefined {
  const seen = new Set<string>()
  for (const one of hosts) {
    if (typeof one === 'string') continue
    const kind = `${new URL(`https://${one.host}`).host} ${one.credential === 'account'}`
    if (seen.has(kind)) return hostNameOf(one)
    seen.add(kind)
  }
  return undefined
}

export const archiveSettings = z
  .strictObject({
    files: z.boolean().default(true).describe('Fetch the files of archived whiteboard activities.'),
    recordings: z.boolean().default(false).describe('Fetch the files of recordings too.'),
    recordingsDays: z.int().min(1).max(3650).default(30).describe('Only files up to this age.'),
    recordingsBytes: z
      .int()
      .min(0)
      .default(100 * 2 ** 30)
      .describe('Only while the stored recordings are less than this.'),
    store: z.enum(['directory', 's3']).default('directory').describe('Where the files are kept.'),
    directory: path().default('archive').describe('The folder of store: directory.'),
    s3: s3.prefault({}),
    hosts: z
      .array(z.union([host(), trustedHost], { error: ONE_HOST }))
      .max(50)
      .refine((hosts) => twiceTrusted(hosts) === undefined, {
        error: 'one credential of a host for archived files and one for recordings',
      })
      .default([])
      .describe(
        "Hosts, besides the API's own, that files may come from: a name, which gets no token, or {host, " +
          'credential}.',
      ),
    priority: z
      .array(priority)
      .max(50)
      .default([{ outsiders: true }])
      .describe('Who comes first when the quota does not suffice for all that expires.'),
    retention: z
      .array(retention)
      .max(50)
      .default([])
      .describe('What may be removed from the store, and when; the first rule that fits.'),
  })
  .superRefine(({ store, s3: bucket }, issues) => {
    if (store === 's3')
      for (const [field, form] of Object.entries(OF_A_BUCKET))
        if (bucket[field as keyof typeof OF_A_BUCKET] === null)
          issues.addIssue({
            code: 'custom',
            path: ['s3', field],
            message: `${form}, as archive.store is s3`,
            params: { required: true },
          })
  })
  .describe('The files of archived activities and of recordings.')

const witness = z.strictObject({
  url: serviceUrl().describe('Its submission prefix: /add-checkpoint is put behind it.'),
  key: z
    .string({ error: VERIFIER_KEY })
    .regex(/^[^\s+]{1,200}\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}$/, { error: VERIFIER_KEY })
    .describe('Its verifier key, which is public.'),
})

const witnesses = z
  .strictObject({
    asked: z.array(witness).max(20).default([]).describe('The witnesses; none: nobody is asked.'),
    needed: z
      .int()
      .min(1)
      .nullable()
      .default(null)
      .describe('How many of them must cosign each checkpoint; null: all.'),
  })
  .superRefine(({ asked, needed }, issues) => {
    if ((needed ?? 0) > asked.length)
      issues.addIssue({
        code: 'custom',
        path: ['needed'],
        message: 'no more than the witnesses that are asked',
      })
  })

export const evidenceSettings = z
  .strictObject({
    signingKey: secret()
      .nullable()
      .default(null)
      .describe(
        'The Ed25519 private key (PEM) that signs checkpoints; null makes a key file once.',
      ),
    previousKeys: z
      .array(z.string().regex(/^[0-9a-f]{64}$/, { error: 'a fingerprint of 64 hex digits' }))
      .max(20)
      .default([])
      .describe('Fingerprints of previous keys, whose checkpoints are still trusted.'),
    timestampUrl: serviceUrl()
      .nullable()
      .default(null)
      .describe('An RFC 3161 time-stamp service that confirms the time of each checkpoint.'),
    timestampRoots: z
      .array(path())
      .max(20)
      .default([])
      .describe('Files with certificates (PEM) that time stamps must lead to; none: any is kept.'),
    witnesses: witnesses
      .prefault({})
      .describe(
        'Who cosigns each checkpoint (c2sp.org/tlog-witness), so that no second log is shown.',
      ),
  })
  .describe('What proves that the archive was not altered.')

const MONTHS = `a number of months from ${LEAST_KEPT_MONTHS} on, or null to keep all for ever`

const months = () =>
  z
    .int({ error: MONTHS })
    .min(LEAST_KEPT_MONTHS, { error: MONTHS })
    .max(1_200)
    .nullable()
    .default(null)

export const ledgerSettings = z
  .strictObject({
    keepMonths: months().describe(
      'Whole months that the ledgers of slices, batches, quota and tasks, details of runs and ' +
        'notifications are kept for.',
    ),
  })
  .describe('How long the ledgers are kept, which grow with each night; null: for ever.')

export type ArchiveSettings = z.output<typeof archiveSettings>
export type LedgerSettings = z.output<typeof ledgerSettings>

/** Whether any files are archived; every sync then writes the manifest. */
export function wantsAnyFiles({
  files,
  recordings,
}: Pick<ArchiveSettings, 'files' | 'recordings'>): boolean {
  return files || recordings
}

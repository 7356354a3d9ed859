import { z } from 'zod'
import { FILE_CREDENTIALS, type FileHost } from '../core/define/file-host.ts'
import { flag, HOST, host, identifier, orNull, path, secret, serviceUrl, whole } from './fields.ts'
import { LEAST_KEPT_MONTHS } from './kept-months.ts'

const VERIFIER_KEY =
  'a verifier key for cosignatures: its name, + and 8 hex digits, + and 44 letters of base64'

const s3 = z
  .strictObject({
    bucket: orNull(identifier(), 'Name of the bucket; required if store is s3.'),
    region: identifier().default('us-east-1').describe('Region of the bucket.'),
    endpoint: orNull(serviceUrl(), "Endpoint URL; null: the provider's default for the region."),
    prefix: z
      .string()
      .regex(/^[\w-]{1,100}$/, { error: 'letters, digits, hyphens and underscores' })
      .default('callsheet')
      .describe('Prefix of every object name.'),
    accessKeyId: orNull(identifier(), 'ID of the access key.'),
    secretAccessKey: orNull(secret(), 'A secret: env:NAME or file:path.'),
    lockDays: orNull(
      whole(1, 36_500),
      'Days for which object lock protects each object; null: no lock.',
    ),
  })
  .describe('An S3-compatible bucket.')

/** Settings that only a bucket requires. Keys from the environment or the machine are not used. */
const OF_A_BUCKET = {
  bucket: 'an identifier',
  accessKeyId: 'an identifier',
  secretAccessKey: 'env:NAME or file:path',
}

const names = () => z.array(z.string().min(1).max(400)).max(10_000)

const subject = {
  whiteboards: names().optional().describe('IDs of whiteboards.'),
  labels: names().optional().describe('Names of classification labels that Callsheet applied.'),
}

const priority = z
  .strictObject({
    ...subject,
    outsiders: z
      .literal(true)
      .optional()
      .describe('Sessions with participants from outside the account.'),
  })
  .refine((rule) => Object.keys(rule).length === 1, {
    error: 'one of whiteboards, labels and outsiders',
  })

const retention = z.strictObject({
  keepDays: whole(1, 36_500).describe('Days to keep a file after its activity.'),
  ...subject,
})

const trustedHost = z.strictObject({
  host: host().describe('Host name, with the port unless it is 443; always HTTPS.'),
  credential: z
    .enum(FILE_CREDENTIALS)
    .describe(
      'The token to send. account: the bearer token, for archived files. For recordings: jwt (as a bearer ' +
        "token), jwt-in-query (as access_token) or download-token (the recording's own).",
    ),
})

const ONE_HOST = `${HOST}, or {host, credential: ${FILE_CREDENTIALS.join(' | ')}}`

/** Whether no host has two credentials for one kind of file, so that the token to send is unambiguous. */
function areTrustedOnce(hosts: readonly FileHost[]): boolean {
  const kinds = hosts.flatMap((one) =>
    typeof one === 'string'
      ? []
      : [`${new URL(`https://${one.host}`).host} ${one.credential === 'account'}`],
  )
  return new Set(kinds).size === kinds.length
}

export const archiveSettings = z
  .strictObject({
    files: flag(true, 'Download the files of archived whiteboard activities.'),
    recordings: flag(false, 'Download recording files too.'),
    recordingsDays: whole(1, 3650)
      .default(30)
      .describe('Download recording files up to this age in days.'),
    recordingsBytes: z
      .int()
      .min(0)
      .default(100 * 2 ** 30)
      .describe('Download recording files only while fewer bytes of them are stored.'),
    store: z.enum(['directory', 's3']).default('directory').describe('Where to store the files.'),
    directory: path().default('archive').describe('Folder of the files if store is directory.'),
    s3: s3.prefault({}),
    hosts: z
      .array(z.union([host(), trustedHost], { error: ONE_HOST }))
      .max(50)
      .refine(areTrustedOnce, {
        error: 'one credential of a host for archived files and one for recordings',
      })
      .default([])
      .describe(
        "Hosts besides the API's own from which to download files: a name, which receives no token, or " +
          '{host, credential}.',
      ),
    priority: z
      .array(priority)
      .max(50)
      .default([{ outsiders: true }])
      .describe('Which sessions come first if the daily quota does not suffice.'),
    retention: z
      .array(retention)
      .max(50)
      .default([])
      .describe('Which files may be removed and when; the first matching rule decides.'),
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
  .describe('Files of archived activities and recordings.')

const witness = z.strictObject({
  url: serviceUrl().describe('Submission prefix, to which /add-checkpoint is appended.'),
  key: z
    .string({ error: VERIFIER_KEY })
    .regex(/^[^\s+]{1,200}\+[0-9a-f]{8}\+[A-Za-z0-9+/]{44}$/, { error: VERIFIER_KEY })
    .describe('Public verifier key of the witness.'),
})

const witnesses = z
  .strictObject({
    asked: z.array(witness).max(20).default([]).describe('Witnesses to ask for a cosignature.'),
    needed: orNull(z.int().min(1), 'How many of them must cosign each checkpoint; null: all.'),
  })
  .refine(({ asked, needed }) => (needed ?? 0) <= asked.length, {
    path: ['needed'],
    error: 'no more than the witnesses that are asked',
  })

export const evidenceSettings = z
  .strictObject({
    signingKey: orNull(
      secret(),
      'Ed25519 private key (PEM) that signs checkpoints; null: generate a key file once.',
    ),
    previousKeys: z
      .array(z.string().regex(/^[0-9a-f]{64}$/, { error: 'a fingerprint of 64 hex digits' }))
      .max(20)
      .default([])
      .describe('Fingerprints of earlier keys whose checkpoints stay valid.'),
    timestampUrl: orNull(
      serviceUrl(),
      'RFC 3161 time-stamp service that confirms the time of each checkpoint.',
    ),
    timestampRoots: z
      .array(path())
      .max(20)
      .default([])
      .describe('PEM files with trusted root certificates of time stamps; empty: any signer.'),
    witnesses: witnesses
      .prefault({})
      .describe(
        'Witnesses that cosign each checkpoint (c2sp.org/tlog-witness), to prove a single log.',
      ),
  })
  .describe('Evidence that the archive was not altered.')

const MONTHS = `a number of months from ${LEAST_KEPT_MONTHS} on, or null to keep all`

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
      'Months for which to keep the ledgers of slices, batches, quota and tasks, details of runs, and ' +
        'notifications; null: keep all.',
    ),
  })
  .describe('How long to keep the ledgers, which grow with every run.')

export type ArchiveSettings = z.output<typeof archiveSettings>
export type LedgerSettings = z.output<typeof ledgerSettings>

/** Whether any files are archived. A sync that is not stopped then also records evidence. */
export function wantsAnyFiles({
  files,
  recordings,
}: Pick<ArchiveSettings, 'files' | 'recordings'>): boolean {
  return files || recordings
}

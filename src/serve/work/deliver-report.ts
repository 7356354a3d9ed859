import { basename } from 'node:path'
import type { Config } from '../../config/schema.ts'
import type { Owner } from '../../core/define/owner.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { PublishedReport } from '../../report/publish-report.ts'
import {
  type Attachment,
  type Channel,
  type Message,
  MOST_ATTACHED_BYTES,
} from '../alerts/message.ts'
import { openMail, openWebhook } from '../alerts/open-channels.ts'

/** A destination of a published report, in addition to its folder. */
export interface Delivery {
  /** The name of the delivery, unique in its job, such as `mail`. */
  name: string
  /** Rejects if the files did not arrive. It may be called again with the same files. */
  send(made: MadeReport): Promise<void>
}

/** A published report, as the ledger stores it. */
export interface MadeReport {
  report: string
  account: string
  params: Readonly<Record<string, string>>
  files: PublishedReport['files']
  covered: boolean
  /** Undefined if a version that did not record it made the report. */
  notMade?: PublishedReport['notMade']
  headline: PublishedReport['headline']
}

type Deliver = Config['reports']['jobs'][string]['deliver']

/** Opens the mail to an owner, who receives the cut of their rows alone. */
export async function openOwnerMail(
  { mail }: Owner,
  config: Pick<Config, 'mail'>,
  clock: Clock,
): Promise<Delivery[]> {
  return mail.length === 0 ? [] : (await openMail(config.mail, mail, clock)).map(throughChannel)
}

/** Opens the destinations in the settings of a report job, in addition to its folder. */
export async function openDeliveries(
  deliver: Deliver,
  config: Pick<Config, 'mail' | 'archive'>,
  { clock }: { clock: Clock },
): Promise<Delivery[]> {
  const channels = deliver.mail.length > 0 ? await openMail(config.mail, deliver.mail, clock) : []
  if (deliver.webhook !== null) {
    const webhook = { ...deliver.webhook, form: 'json' as const }
    channels.push(await openWebhook(webhook, 'deliver.webhook', clock))
  }
  const deliveries = channels.map(throughChannel)
  if (deliver.s3) deliveries.push(toBucket(config.archive.s3, clock))
  return deliveries
}

function throughChannel(channel: Channel): Delivery {
  return {
    name: channel.name,
    send: async (made) => void (await channel.send(reportMessage(made))),
  }
}

function toBucket(s3: Config['archive']['s3'], clock: Clock): Delivery {
  const { bucket, region, endpoint, prefix, accessKeyId, secretAccessKey } = s3
  return {
    name: 's3',
    async send({ account, files }) {
      const { sendToBucket } = await import('../../store/send-to-bucket.ts')
      const access = {
        bucket: bucket ?? '',
        region,
        endpoint: endpoint ?? undefined,
        prefix: `${prefix}-reports`,
        accessKeyId: accessKeyId ?? '',
        secretAccessKey: secretAccessKey?.reveal() ?? '',
        clock,
      }
      await sendToBucket(
        access,
        account,
        files.map(({ path }) => ({ name: basename(path), path })),
      )
    },
  }
}

/** Makes the message. Its subject names the report, the account, the owner of a cut, and the period. */
export function reportMessage({
  report,
  account,
  params,
  files,
  covered,
  notMade = [],
  headline: { title, period, figures, lacks },
}: MadeReport): Message {
  const whose = params.owner === undefined ? '' : ` for ${params.owner}`
  const state = covered ? 'complete' : 'incomplete'
  const subject = `${title} of ${account}${whose}, ${period}: ${state}`
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const fits = bytes <= MOST_ATTACHED_BYTES
  const names = files.map(({ path }) => basename(path))
  const lacking = notMade.map(({ format, came }) => `No ${format.toUpperCase()} was made: ${came}.`)
  const part = names.some((name) => name.endsWith('.xlsx')) ? 'on the sheet' : 'in the part'
  const sentences = [
    `${subject}.`,
    ...lacking,
    ...lacks,
    ...figures,
    ...(covered ? [] : ['It is sent again once its data is complete.']),
    ...(names.every((name) => name.endsWith('.pdf')) ? [] : [`Sources are ${part} "Provenance".`]),
  ]
  const lines = [
    sentences.join(' '),
    fits ? 'The files:' : 'The files are too large to attach. They are in the folder of reports:',
    ...names.map((name) => `- ${name}`),
  ]
  return {
    subject,
    text: `${lines.join('\n')}\n`,
    facts: { report, account, params, covered, period, figures, lacks, notMade, files: names },
    ...(fits ? { attachments: files.map(attachmentOf) } : {}),
  }
}

function attachmentOf({ path }: MadeReport['files'][number]): Attachment {
  const name = basename(path)
  const extension = name.slice(name.lastIndexOf('.'))
  return {
    name,
    content: { path },
    contentType: MEDIA_TYPES[extension] ?? 'application/octet-stream',
  }
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.html': 'text/html',
  '.csv': 'text/csv',
  '.pdf': 'application/pdf',
  '.parquet': 'application/vnd.apache.parquet',
}

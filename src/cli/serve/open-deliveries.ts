import { basename } from 'node:path'
import { environment, proxyOf } from '../../config/environment.ts'
import type { Config } from '../../config/schema.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Delivery, MadeReport } from '../../engine/scheduled/run-report-job.ts'
import type { Attachment, Channel, Message } from '../../tell/message.ts'
import { MOST_ATTACHED_BYTES } from '../../tell/message.ts'
import { mailServer } from '../accounts/open-channels.ts'

type Deliver = Config['reports']['jobs'][string]['deliver']

/** Where the settings of a report job send what it made, besides its folder. */
export async function openDeliveries(
  deliver: Deliver,
  config: Pick<Config, 'mail' | 'archive' | 'alerts'>,
  { clock }: { clock: Clock },
): Promise<Delivery[]> {
  const deliveries: Delivery[] = []
  const server = mailServer(config.mail)
  if (deliver.mail.length > 0 && server !== undefined) {
    const { createMail } = await import('../../tell/mail.ts')
    deliveries.push(throughChannel(createMail({ server, to: deliver.mail }, { clock })))
  }
  if (deliver.webhook !== null) {
    const { createWebhook } = await import('../../tell/webhook.ts')
    const { url, bearer, signingSecret } = deliver.webhook
    const settings = {
      setting: 'deliver.webhook',
      url: () => url.reveal(),
      form: 'json' as const,
      timeoutMs: config.alerts.timeoutMs,
      proxy: proxyOf(environment()),
      ...(bearer === null ? {} : { bearer: () => bearer.reveal() }),
      ...(signingSecret === null ? {} : { signingSecret: () => signingSecret.reveal() }),
    }
    deliveries.push(throughChannel(createWebhook(settings, { clock })))
  }
  if (deliver.s3) deliveries.push(toBucket(config.archive.s3, clock))
  return deliveries
}

function throughChannel(channel: Channel): Delivery {
  return {
    name: channel.name,
    send: async (made) => void (await channel.send(messageOf(made))),
  }
}

function toBucket(s3: Config['archive']['s3'], clock: Clock): Delivery {
  const { bucket, region, endpoint, prefix, accessKeyId, secretAccessKey } = s3
  return {
    name: 's3',
    async send({ account, files }) {
      const { sendToBucket } = await import('../../archive/send-to-bucket.ts')
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

/** The subject names the report, the account and the period, and so no person. */
function messageOf({ report, account, params, files, covered }: MadeReport): Message {
  const period = params.month ?? [params.from, params.to].filter(Boolean).join(' to ')
  const about = [report, account, period].filter((part) => part !== '').join(', ')
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const fits = bytes <= MOST_ATTACHED_BYTES
  const names = files.map(({ path }) => basename(path))
  const lines = [
    covered
      ? 'Its part Provenance says what was read, and what is missing.'
      : 'Some of what the report needs was not read: its first line says what. It is sent again once it was.',
    fits ? 'The files:' : 'The files are too large to go along. They are in the folder of reports:',
    ...names.map((name) => `- ${name}`),
  ]
  return {
    subject: `Report ${about}${covered ? '' : ' (incomplete)'}`,
    text: `${lines.join('\n')}\n`,
    facts: { report, account, params, covered, files: names },
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
  '.parquet': 'application/vnd.apache.parquet',
}

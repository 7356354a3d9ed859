import { basename } from 'node:path'
import { environment, proxyOf } from '../../config/environment.ts'
import type { Config } from '../../config/schema.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Channel } from '../alerts/message.ts'
import { MOST_TELLING_MS, mailServer } from '../alerts/open-channels.ts'
import { reportMessage } from './report-message.ts'
import type { Delivery } from './run-report-job.ts'

type Deliver = Config['reports']['jobs'][string]['deliver']

/** Where the settings of a report job send what it made, besides its folder. */
export async function openDeliveries(
  deliver: Deliver,
  config: Pick<Config, 'mail' | 'archive'>,
  { clock }: { clock: Clock },
): Promise<Delivery[]> {
  const deliveries: Delivery[] = []
  const server = mailServer(config.mail)
  if (deliver.mail.length > 0 && server !== undefined) {
    const { createMail } = await import('../alerts/mail.ts')
    deliveries.push(throughChannel(createMail({ server, to: deliver.mail }, { clock })))
  }
  if (deliver.webhook !== null) {
    const { createWebhook } = await import('../alerts/webhook.ts')
    const { url, bearer } = deliver.webhook
    const settings = {
      setting: 'deliver.webhook',
      url: () => url.reveal(),
      form: 'json' as const,
      timeoutMs: MOST_TELLING_MS,
      proxy: () => proxyOf(environment()),
      ...(bearer === null ? {} : { bearer: () => bearer.reveal() }),
    }
    deliveries.push(throughChannel(createWebhook(settings, { clock })))
  }
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

import { DeliveryError } from '../../core/errors.ts'
import type { Clock } from '../../core/time/clock.ts'
import type { Proxy } from '../../core/values/proxy.ts'
import { messageJson } from './attachments.ts'
import { sendRequest } from './http-request.ts'
import { type Channel, cutAt, type Message } from './message.ts'

/** The body of a POST: `json` contains all facts, `slack` only a text. */
export type WebhookForm = 'json' | 'slack'

/** The settings of a webhook. Secrets are read when they are used. */
export interface WebhookSettings {
  /** The setting of the webhook, such as `alerts.webhook`, for errors. */
  setting: string
  url(): string
  form: WebhookForm
  /** Sent as `authorization: Bearer ...`. */
  bearer?: () => string
  timeoutMs: number
  /** The proxy, read when it is used, so that an unreadable setting fails only this channel. */
  proxy?: () => Proxy | undefined
}

/** Posts each message as JSON. Follows no redirect, and accepts only 2xx. */
export function createWebhook(settings: WebhookSettings, { clock }: { clock: Clock }): Channel {
  const { setting, timeoutMs, proxy } = settings
  const tried = `Posting to the webhook of ${setting}`
  return {
    name: 'webhook',
    async send(message, signal) {
      const body = await bodyOf(settings.form, message, tried)
      const headers = headersOf(settings)
      const to = { setting: `${setting}.url`, address: settings.url(), proxy: proxy?.() }
      const request = { tried, ...to, method: 'POST' as const, headers, body }
      await sendRequest(request, { clock, timeoutMs, signal })
      return undefined
    },
  }
}

async function bodyOf(form: WebhookForm, message: Message, tried: string): Promise<string> {
  if (form === 'json') return await messageJson(message, tried)
  if ((message.attachments ?? []).length > 0)
    throw new DeliveryError('attachment_not_possible', false, {
      tried,
      came: 'a Slack webhook cannot carry files',
      todo: 'send the files by mail, or to a webhook with form: json',
    })
  return JSON.stringify({ text: slackText(`${message.subject}\n${message.text}`) })
}

/** Truncates a text to `MOST_SLACK` characters, and escapes Slack's markup for links and mentions. */
function slackText(text: string): string {
  const cut = text.length > MOST_SLACK ? `${cutAt(text, MOST_SLACK)}\n...` : text
  return cut.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

function headersOf({ bearer }: WebhookSettings) {
  return {
    'content-type': 'application/json',
    'user-agent': 'callsheet',
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer()}` }),
  }
}

const MOST_SLACK = 30_000

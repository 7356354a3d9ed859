import { basename } from 'node:path'
import { type Attachment, type Message, MOST_ATTACHED_BYTES } from '../alerts/message.ts'
import type { MadeReport } from './run-report-job.ts'

/** The subject names the report, the account and the period, and so no person. */
export function reportMessage({
  report,
  account,
  params,
  files,
  covered,
  headline: { title, period, figures, lacks },
}: MadeReport): Message {
  const subject = `${title} of ${account}, ${period}: ${covered ? 'complete' : 'incomplete'}`
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const fits = bytes <= MOST_ATTACHED_BYTES
  const names = files.map(({ path }) => basename(path))
  const part = names.some((name) => name.endsWith('.xlsx')) ? 'on the sheet' : 'in the part'
  const sentences = [
    `${subject}.`,
    ...lacks,
    ...figures,
    ...(covered ? [] : ['It is sent again once all that it needs was read.']),
    `Sources are ${part} "Provenance".`,
  ]
  const lines = [
    sentences.join(' '),
    fits ? 'The files:' : 'The files are too large to attach. They are in the folder of reports:',
    ...names.map((name) => `- ${name}`),
  ]
  return {
    subject,
    text: `${lines.join('\n')}\n`,
    facts: { report, account, params, covered, period, figures, lacks, files: names },
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

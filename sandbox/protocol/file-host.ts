import { createHmac } from 'node:crypto'
import type { Readings } from '../readings/readings.ts'
import type { Credentials } from '../seed-data/options.ts'
import type { ApiRequest } from './call.ts'
import { refuse, SandboxRefusal } from './refusal.ts'

interface FileHost {
  seed: number
  readings: Readings
  apps: readonly Credentials[]
  /** The origins of the files and of the API. */
  fileUrl: string
  apiUrl: string
}

/** Whether a request came to the host of the files, where that is another than the API's. */
export function isAtFileHost(
  { fileUrl, apiUrl }: Pick<FileHost, 'fileUrl' | 'apiUrl'>,
  host: string | undefined,
): boolean {
  return fileUrl !== apiUrl && host === new URL(fileUrl).host
}

/** What that host makes of a request, by how the documents are read: who asks for a file, or a refusal. */
export function askedAtFileHost(context: FileHost, asked: ApiRequest): ApiRequest {
  const { operation, authorization, query } = asked
  if (!operation.id.endsWith('.download')) throw refuse(404, 404, 'No such path.')
  const reading = context.readings.fileHost
  if (reading === 'signed') {
    if (authorization !== '' || query.has('access_token'))
      throw page(400, 'Only one way of signing')
    const accountId = query.get('account') ?? ''
    const holder = context.apps.find((app) => app.accountId === accountId)
    if (holder === undefined || query.get('seal') !== sealOf(context, accountId))
      throw page(403, 'The signature does not match')
    return { ...asked, holder }
  }
  if (reading === 'query' && operation.bearer === 'jwt') {
    if (authorization !== '') throw page(401, 'Log in to see this file')
    return { ...asked, authorization: `Bearer ${query.get('access_token') ?? ''}` }
  }
  return asked
}

/** What an address of a file says besides, where it is all that tells who asks. */
export function sealed(
  { seed, readings }: Pick<FileHost, 'seed' | 'readings'>,
  accountId: string,
): string {
  if (readings.fileHost !== 'signed') return ''
  return `&account=${encodeURIComponent(accountId)}&seal=${sealOf({ seed }, accountId)}`
}

/** What only addresses of files may say, as the host that they name takes it off. */
export const SEAL = ['account', 'seal']

function sealOf({ seed }: Pick<FileHost, 'seed'>, accountId: string): string {
  return createHmac('sha256', `files ${String(seed)}`)
    .update(accountId)
    .digest('hex')
    .slice(0, 24)
}

function page(status: number, text: string): SandboxRefusal {
  return new SandboxRefusal(status, `<html><body>${text}</body></html>`)
}

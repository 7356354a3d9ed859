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

/** Whether a request was sent to the file host, if that differs from the API's. */
export function isAtFileHost(
  { fileUrl, apiUrl }: Pick<FileHost, 'fileUrl' | 'apiUrl'>,
  host: string | undefined,
): boolean {
  return fileUrl !== apiUrl && host === new URL(fileUrl).host
}

/** Interprets a request at the file host by the readings, or refuses it. */
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

/** Returns the signature in a file's address, if it is the only credential. */
export function sealed(
  { seed, readings }: Pick<FileHost, 'seed' | 'readings'>,
  accountId: string,
): string {
  if (readings.fileHost !== 'signed') return ''
  return `&account=${encodeURIComponent(accountId)}&seal=${sealOf({ seed }, accountId)}`
}

/** Parameters that only signed file addresses have. Downloads accept them. */
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

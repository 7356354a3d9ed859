import { refuse, SandboxRefusal } from '../protocol/refusal.ts'
import type { SandboxContext } from './context.ts'

/** Returns the response of a proxy in front of the API; undefined if the request reaches the API. */
export function proxyAnswer(
  { readings, apiUrl, fileUrl }: SandboxContext,
  { path, host }: { path: string; host: string | undefined },
  serial: number,
): SandboxRefusal | undefined {
  const answers = [apiUrl, fileUrl].map((url) => new URL(url).host)
  if (readings.apiUrl === 'moved' && !answers.includes(host ?? ''))
    return refuse(404, 404, 'No such path.')
  if (readings.address === 'moved')
    return new SandboxRefusal(308, '', { location: `https://api.moved.example${path}` })
  if (readings.busy === 'none' || serial % 40 !== 20) return undefined
  return refuse(Number(readings.busy), Number(readings.busy), 'Send it again.')
}
